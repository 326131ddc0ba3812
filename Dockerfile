# syntax=docker/dockerfile:1
# Two stages: what builds is not shipped. The base is named by version; pin it by digest where your registry has it:
#   docker build --build-arg PYTHON=python:3.11.14-slim-bookworm@sha256:<digest> -t fishbone:0.1.0 .
ARG PYTHON=python:3.11.14-slim-bookworm

FROM ${PYTHON} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
RUN python -m venv /opt/fishbone
COPY requirements.lock /src/
# Every package by version and hash; the lock file holds the tools of development too, which are taken out again.
RUN /opt/fishbone/bin/python -m pip install --require-hashes -r /src/requirements.lock
COPY . /src
RUN /opt/fishbone/bin/python -m pip install --no-deps --no-build-isolation /src \
 && /opt/fishbone/bin/python -m pip uninstall --yes mypy ruff pytest hypothesis import-linter build setuptools wheel \
 && /opt/fishbone/bin/python -m compileall -q /opt/fishbone/lib

FROM ${PYTHON} AS run
LABEL org.opencontainers.image.title="fishbone" \
      org.opencontainers.image.description="An alert comes in, a root cause with checked citations comes out."
# Nothing is installed here, and nothing is written: the root file system may be read-only, /data and /tmp are mounts.
RUN groupadd --gid 10001 fishbone \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin fishbone \
 && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /opt/fishbone /opt/fishbone
ENV PATH=/opt/fishbone/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    FISHBONE_DATA=/data \
    FISHBONE_LOG_FORMAT=json
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8080
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["fishbone"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
