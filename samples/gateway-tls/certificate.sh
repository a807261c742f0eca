#!/bin/sh
# Makes a self-signed certificate for shop.example in the folder $1, as the daemon reads it:
# NAMESPACE/CREDENTIAL/tls.crt and tls.key. Start the daemon with MESH_CREDENTIAL_DIR=$1.
set -eu
umask 077
mkdir -p "$1/demo/shop-cert"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
  -subj /CN=shop.example -addext subjectAltName=DNS:shop.example \
  -keyout "$1/demo/shop-cert/tls.key" -out "$1/demo/shop-cert/tls.crt"
