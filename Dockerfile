# syntax=docker/dockerfile:1

# One image for each program: `docker build --target pilot-discovery .`, `--target pilot-agent`,
# `--target meshctl`.
# The repository's history is not sent to the build: what it was made from is told by hand.
#
#   docker build --target pilot-discovery \
#     --build-arg REVISION="$(git rev-parse HEAD)" --build-arg STATUS=Clean --build-arg TAG=0.1.0 .

# The tasks with what they need. Packages and the wire codec change seldom and come first.
FROM denoland/deno:debian-2.9.6 AS tasks
WORKDIR /src
COPY deno.json deno.lock ./
COPY protos/ protos/
COPY scripts/ scripts/
COPY lib/base/ lib/base/
COPY lib/proto/ lib/proto/
RUN deno task gen

# The programs as single files.
FROM tasks AS build
COPY main.ts ./
COPY cmd/ cmd/
COPY lib/ lib/
ARG REVISION=unknown
ARG STATUS=Unknown
ARG TAG=""
ENV MESH_BUILD_REVISION=$REVISION MESH_BUILD_STATUS=$STATUS MESH_BUILD_TAG=$TAG
RUN deno task compile
# Folders that the programs look into or write; whom they run as is to own them.
RUN mkdir -p /empty/etc/mesh/config /empty/etc/mesh/config.d /empty/etc/mesh/proxy /empty/var/log/mesh

# The proxy, of the version that everything is tested against, compared with its checksum.
FROM tasks AS proxy
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-pip
ENV MESH_TOOLS_CACHE=/tools
RUN deno task tools
RUN cp /tools/envoy-*/envoy /usr/local/bin/dataproxy

# What the programs need at run time: a C library, and folders of the user they run as.
FROM gcr.io/distroless/cc-debian12:nonroot AS base
COPY --from=build --chown=65532:65532 /empty/ /
WORKDIR /
USER 65532:65532

FROM base AS pilot-discovery
COPY --from=build /src/dist/pilot-discovery /usr/local/bin/pilot-discovery
# xDS, HTTP with the debug pages, monitoring.
EXPOSE 15010 8080 15014
ENTRYPOINT ["/usr/local/bin/pilot-discovery"]
CMD ["discovery", "--configDir=/etc/mesh/config.d"]

FROM base AS pilot-agent
COPY --from=proxy /usr/local/bin/dataproxy /usr/local/bin/dataproxy
COPY --from=build /src/dist/pilot-agent /usr/local/bin/pilot-agent
# Readiness and merged metrics.
EXPOSE 15021 15020
ENTRYPOINT ["/usr/local/bin/pilot-agent"]
CMD ["proxy", "sidecar"]

FROM base AS meshctl
COPY --from=build /src/dist/meshctl /usr/local/bin/meshctl
ENTRYPOINT ["/usr/local/bin/meshctl"]
CMD ["--help"]
