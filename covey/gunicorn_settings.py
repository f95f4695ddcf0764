"""Settings of gunicorn, under `up` and in a container; only the address to bind is given apart."""

wsgi_app = "covey.wsgi:application"
worker_class = "covey.web_worker.WholeRequestWorker"
workers = 2
threads = 4
timeout = 60
graceful_timeout = 10
# Seconds, longer than proxies keep an idle connection (mostly 60): else one sends a request into
# a connection that is closing.
keepalive = 75
# Replace a worker before a slow leak of a library matters.
max_requests = 5_000
max_requests_jitter = 500
# covey.web_worker has the limit; the highest that gunicorn itself knows is 8,190.
limit_request_line = 0
loglevel = "warning"
# Its socket would lie outside COVEY_DATA_DIR.
control_socket_disable = True
