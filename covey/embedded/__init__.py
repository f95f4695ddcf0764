"""A Django database backend that brings its own PostgreSQL: started when somebody connects, stopped by its last user."""
