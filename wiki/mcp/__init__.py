"""covey as an MCP server: at /mcp for agents anywhere, over stdio for an agent on this machine.

A tool is a call of the JSON API: it goes through Django inside the process, with the caller's own
token. Rights, scopes, limits, and whatever else the API does with a request hold here without being
written a second time.

The official package is ASGI; covey runs under gunicorn with threads. Each request of /mcp is served
by an event loop of its own that lives as long as the request, without sessions and with plain JSON
as its answer; the API call itself runs in the thread that gunicorn gave the request, on that
thread's database connection. Nothing is kept between two requests, so any of gunicorn's processes
can answer any of them, and one that is replaced takes nothing along. That costs half a millisecond
of CPU more per request than one loop in the background of each process, which a2wsgi would feed
(medians: 1.0 to 1.2 and 0.6 to 0.7 ms for the protocol alone, about 15 ms for a whole recall with
either). Rejected all the same: it is a second set of threads and database connections, with
something to start after the fork and to stop before the end. Rejected too: an ASGI server for the
whole, which everything else in covey would pay for.

Loading the package takes 0.5 s and 26 MB, which the first request of a process pays; `endpoint`
does not import it.
"""
