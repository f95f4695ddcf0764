#!/bin/sh
# Prints what the wiki knows about the task. The task is the first argument, else what comes in (a text, or an
# object with a "prompt"). If covey does not answer, the agent starts without it.
task=${1:-$(cat)}
case $task in "{"*) task=$(printf %s "$task" | jq -r ".prompt // .") ;; esac
curl -fsS --max-time 10 -G "$COVEY_API/recall" -H "Authorization: Bearer $COVEY_TOKEN" -H "Accept: text/markdown" -d budget=2000 --data-urlencode "q=$task" || true
