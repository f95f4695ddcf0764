export COVEY_API=http://127.0.0.1:8494/api/v1
export COVEY_TOKEN=covey_TOKEN
