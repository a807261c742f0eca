/**
 * Fields that act, of Gateways.
 *
 * @module
 */

import type { Acting } from "./types.ts";

/** TLS towards clients, from files. */
const SERVER_TLS_PATHS = [
  "httpsRedirect",
  "mode",
  "serverCertificate",
  "privateKey",
  "caCertificates",
  "caCrl",
  "credentialName",
  "credentialNames",
  "caCertCredentialName",
  "tlsCertificates[].serverCertificate",
  "tlsCertificates[].privateKey",
  "subjectAltNames",
  "verifyCertificateSpki",
  "verifyCertificateHash",
  "minProtocolVersion",
  "maxProtocolVersion",
  "cipherSuites",
  "ecdhCurves",
  "insecureSkipVerify",
];

/** By kind. */
export const GATEWAYS: Readonly<Record<string, Acting>> = {
  Gateway: {
    paths: [
      "selector",
      "servers[].port.number",
      "servers[].port.protocol",
      "servers[].port.name",
      "servers[].bind",
      "servers[].hosts",
      "servers[].name",
      ...SERVER_TLS_PATHS.map((field) => `servers[].tls.${field}`),
    ],
  },
};
