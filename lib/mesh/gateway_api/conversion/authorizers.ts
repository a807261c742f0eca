/**
 * Conversion of filters that ask a server about requests.
 *
 * @module
 */
import type { HTTPExternalAuthFilter } from "#mesh/gateway/v1/http_route_pb.ts";
import type { RuleAuthorizer } from "../../model/mod.ts";
import type { Destinations } from "./destinations.ts";

/** Headers of requests that servers over HTTP are sent anyhow. */
const ALWAYS = ["authorization"];

/** The server of a filter; undefined: requests cannot be asked about, and must not pass. */
export function convertAuthorizer(
  { protocol, backendRef, grpc, http, forwardBody }: HTTPExternalAuthFilter,
  destinations: Destinations,
): RuleAuthorizer | undefined {
  const { host = "", port } = (backendRef && destinations(backendRef)) ?? {};
  if (host === "" || port?.number === undefined) return undefined;
  const isGrpc = protocol === "GRPC";
  const allowed = (isGrpc ? grpc : http)?.allowedHeaders ?? [];
  const path = isGrpc ? "" : http?.path ?? "";
  return {
    protocol: isGrpc ? "GRPC" : "HTTP",
    host,
    port: port.number,
    path: path === "" || path.startsWith("/") ? path : `/${path}`,
    requestHeaders: lowerCase(isGrpc ? allowed : [...ALWAYS, ...allowed]),
    responseHeaders: lowerCase(isGrpc ? [] : http?.allowedResponseHeaders ?? []),
    bodyBytes: forwardBody?.maxSize ?? 0,
  };
}

function lowerCase(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}
