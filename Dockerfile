# syntax=docker/dockerfile:1

# Both stages share this image, so the environment made in the first runs in the second.
FROM python:3.13-slim AS base

FROM base AS build
WORKDIR /src
# Two environments: one with the build backend, which stays behind, and the one that is shipped, which has no pip of its own.
RUN python -m venv /opt/build && python -m venv --without-pip /opt/rostrum
COPY requirements.lock requirements-build.lock ./
RUN /opt/build/bin/pip install --no-cache-dir --only-binary :all: --require-hashes -r requirements-build.lock \
 && /opt/build/bin/pip --python /opt/rostrum/bin/python install --no-cache-dir --only-binary :all: --require-hashes \
    -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY cogs cogs
COPY storage storage
COPY prompts prompts
RUN /opt/build/bin/pip wheel --no-index --no-build-isolation --no-deps --wheel-dir /dist . \
 && /opt/build/bin/pip --python /opt/rostrum/bin/python install --no-cache-dir --no-index --no-deps /dist/*.whl

FROM base
RUN groupadd --system --gid 10001 rostrum \
 && useradd --system --uid 10001 --gid rostrum --home-dir /data --shell /usr/sbin/nologin rostrum \
 && install --directory --owner rostrum --group rostrum /data
COPY --from=build /opt/rostrum /opt/rostrum
# PYTHONSAFEPATH: what lies in /data is never imported. ORT_DISABLE_TELEMETRY: the voice's runtime sends nothing home.
ENV PATH="/opt/rostrum/bin:$PATH" \
    PYTHONSAFEPATH=1 \
    PYTHONUNBUFFERED=1 \
    ORT_DISABLE_TELEMETRY=1 \
    ROSTRUM_DATABASE_URL="sqlite+aiosqlite:////data/rostrum.db" \
    ROSTRUM_DATA_DIR="/data"
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s --retries=3 CMD ["python", "-m", "bot", "doctor", "--quiet"]
# Every command ends in good order on SIGINT; as the first process of a container, only `run` listens for SIGTERM.
STOPSIGNAL SIGINT
ENTRYPOINT ["python", "-m", "bot"]
CMD ["run"]
