"""A Django database backend with its own PostgreSQL: started on demand, stopped by its last
user."""
