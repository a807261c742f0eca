/**
 * Port protocols as configuration writes them.
 *
 * @module
 */
import type { Protocol } from "../../model/mod.ts";

/** Accepted spellings, lower case, and what they mean. */
const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  http: "HTTP",
  http2: "HTTP2",
  grpc: "GRPC",
  "grpc-web": "GRPC-Web",
  http_proxy: "HTTP_PROXY",
  https: "HTTPS",
  tls: "TLS",
  tcp: "TCP",
  udp: "UDP",
  mongo: "Mongo",
  mysql: "MySQL",
  redis: "Redis",
};

/** The protocol of a port; a spelling that is not known is `Unsupported`. Case does not matter. */
export function protocolOf(text: string): Protocol {
  return PROTOCOLS[text.toLowerCase()] ?? "Unsupported";
}
