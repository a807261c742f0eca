/**
 * Both sides of a connection that no filter chain takes: what the client sends, what is accepted.
 *
 * @module
 */
import type {
  FilterChain,
  FilterChainMatch,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { Call } from "./call.ts";
import { inRange } from "./match.ts";

/** Returns what the client sends and what the listener accepts there, as a sentence. */
export function bothSides(listener: Listener, call: Call): string {
  const { port, ip } = call.destination;
  const accepted = [
    ...new Set(chainsFor(listener, ip, port).map(({ filterChainMatch: m }) => acceptedBy(m))),
  ];
  const sent = `the client sends ${sentBy(call)} to port ${port}`;
  return accepted.length === 0
    ? `${sent}, where nothing is accepted`
    : `${sent}, where ${some(accepted, " or ")} is accepted`;
}

/** Parts of a sentence that are written out; of more, the number is. */
const MOST = 4;

function some(parts: readonly string[], between: string): string {
  const others = parts.length - MOST;
  if (others < 1) return parts.join(between);
  return [...parts.slice(0, MOST), `${others} more`].join(between);
}

function sentBy({ tls, http }: Call): string {
  const content = http === undefined ? "bytes that are no HTTP" : `HTTP/${http.version ?? "1.1"}`;
  if (tls === undefined) return `${content} in plain text`;
  const name = tls.serverName ?? "";
  return [
    tls.principal === undefined ? "TLS without a certificate" : "mutual TLS",
    name === "" ? "without a server name" : `for ${name}`,
    ...(tls.alpn === undefined || tls.alpn.length === 0
      ? []
      : [`with ALPN ${tls.alpn.join(", ")}`]),
  ].join(" ");
}

/** The chains of the destination: those that name its port, else those that name none. */
function chainsFor({ filterChains }: Listener, ip: string, port: number): FilterChain[] {
  const own = filterChains.filter(({ filterChainMatch: match }) => match?.destinationPort === port);
  const chains = own.length > 0
    ? own
    : filterChains.filter(({ filterChainMatch: match }) => match?.destinationPort === undefined);
  return chains.filter(({ filterChainMatch: match }) => {
    const ranges = match?.prefixRanges ?? [];
    return ranges.length === 0 || ranges.some((range) => inRange(ip, range));
  });
}

function acceptedBy(match: FilterChainMatch | undefined): string {
  const { transportProtocol = "", applicationProtocols = [], serverNames = [] } = match ?? {};
  const content = transportProtocol === "tls"
    ? "TLS"
    : transportProtocol === "raw_buffer"
    ? "plain text"
    : "anything";
  return [
    content,
    ...(serverNames.length === 0 ? [] : [`for ${some(serverNames, ", ")}`]),
    ...(applicationProtocols.length === 0 ? [] : [
      `${transportProtocol === "tls" ? "with ALPN" : "with"} ${applicationProtocols.join(", ")}`,
    ]),
  ].join(" ");
}
