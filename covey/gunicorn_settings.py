"""How gunicorn serves covey, under `up` and in a container alike; the address to bind is given
beside it."""

wsgi_app = "covey.wsgi:application"
worker_class = "gthread"
workers = 2
threads = 4
timeout = 60
graceful_timeout = 10
# Longer than a proxy keeps an idle connection (most: 60): else it sends a request into one that is
# closing.
keepalive = 75
# A worker is replaced before a slow leak of any library can matter.
max_requests = 5_000
max_requests_jitter = 500
# A query in an address is cut by the wiki, never refused for its length.
limit_request_line = 0
loglevel = "warning"
# Its socket would lie outside COVEY_DATA_DIR.
control_socket_disable = True
