#!/bin/sh
# Joins a machine outside the orchestrator to the mesh, with the files of
# `meshctl experimental workload entry configure`. See docs/agent.md.
#
#   mesh-start.sh install DIR   copy the files of DIR to their places
#   mesh-start.sh run           set up interception and run the agent (the default)
#   mesh-start.sh clean         remove the interception rules
set -eu

root=${MESH_ROOT:-/}
agent=${MESH_AGENT:-/usr/local/bin/pilot-agent}

fail() {
  echo "mesh-start: $1" >&2
  exit 1
}

install_bundle() {
  bundle=$1
  for file in cluster.env mesh.yaml root-cert.pem hosts; do
    [ -f "$bundle/$file" ] || fail "$bundle/$file is missing"
  done
  bundle=$(cd "$bundle" && pwd)
  cd "$root"
  umask 022
  mkdir -p etc/mesh/config etc/certs var/lib/mesh var/run/secrets/tokens
  cp "$bundle/cluster.env" var/lib/mesh/cluster.env
  cp "$bundle/mesh.yaml" etc/mesh/config/mesh
  cp "$bundle/root-cert.pem" etc/certs/root-cert.pem
  # A machine with a provisioned certificate in etc/certs needs no token.
  if [ -f "$bundle/mesh-token" ]; then
    (umask 077 && cp "$bundle/mesh-token" var/run/secrets/tokens/mesh-token)
  fi
  touch etc/hosts
  while IFS= read -r line || [ -n "$line" ]; do
    [ -z "$line" ] || grep -qxF -e "$line" etc/hosts || printf '%s\n' "$line" >>etc/hosts
  done <"$bundle/hosts"
}

# Exports the lines KEY='value' of a file. Nothing in the file is executed; the variables of the
# process win; empty values are left out.
load() {
  while IFS= read -r line || [ -n "$line" ]; do
    name=${line%%=*}
    value=${line#*=}
    case $name in
      '' | '#'*) continue ;;
      *[!A-Za-z0-9_]* | [0-9]*) fail "$1: $name is no name of a variable" ;;
    esac
    case $value in
      \'*\' | \"*\")
        value=${value#?}
        value=${value%?}
        ;;
    esac
    [ -z "$value" ] || printenv "$name" >/dev/null || export "$name=$value"
  done <"$1"
}

settings() {
  cd "$root"
  file=var/lib/mesh/cluster.env
  [ -f "$file" ] || fail "$root/$file is missing; run: mesh-start.sh install DIR"
  load "$file"
  export DATAPROXY_USER="${DATAPROXY_USER:-mesh-proxy}"
  export POD_NAME="${POD_NAME:-$(uname -n)}"
  export PROV_CERT="${PROV_CERT:-./etc/certs}"
  export OUTPUT_CERTS="${OUTPUT_CERTS:-./etc/certs}"
  if [ -n "${MESH_SVC_IP:-}" ]; then export INSTANCE_IP="${INSTANCE_IP:-$MESH_SVC_IP}"; fi
}

run_agent() {
  settings
  uid=$(id -u "$DATAPROXY_USER") || fail "there is no user $DATAPROXY_USER: useradd -r $DATAPROXY_USER"
  gid=$(id -g "$DATAPROXY_USER")
  mkdir -p etc/mesh/proxy etc/certs var/run/secrets/workload-spiffe-uds var/run/secrets/tokens
  chown -R "$uid:$gid" etc/mesh/proxy etc/certs var/run/secrets/workload-spiffe-uds \
    var/run/secrets/tokens
  "$agent" mesh-iptables --reconcile
  exec setpriv --reuid="$uid" --regid="$gid" --clear-groups --inh-caps=-all "$agent" proxy sidecar
}

case ${1:-run} in
  install)
    [ $# -eq 2 ] || fail "install takes the folder of the files"
    install_bundle "$2"
    ;;
  run) run_agent ;;
  clean)
    settings
    "$agent" mesh-clean-iptables
    ;;
  *) fail "unknown command $1; known: install, run, clean" ;;
esac
