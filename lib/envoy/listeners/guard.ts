/**
 * What guards the ports of a workload, and the ways by which connections may
 * come in under it.
 *
 * @module
 */
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import type { Filter } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { HttpFilter } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { PeerMode } from "../../derive/mod.ts";
import { isHttp, type Protocol } from "../../model/mod.ts";
import { MESH_ALPN, MESH_HTTP_ALPNS } from "../core/mod.ts";
import { httpProtocols, RAW_BUFFER } from "./detect.ts";

/** What guards a workload. */
export interface Guard {
  /** Before requests are forwarded, in order. */
  readonly http: readonly HttpFilter[];
  /** Before bytes are forwarded, in order. */
  readonly tcp: readonly Filter[];
  /** Mutual TLS of a port. */
  readonly mode: (port: number) => PeerMode;
  /** Mutual TLS of ports that nothing declares, unless the next says otherwise. */
  readonly otherwise: PeerMode;
  /** Ports that the policy itself names. */
  readonly named: readonly number[];
  /** Ends mutual TLS; `undefined`: the workload has no certificate. */
  readonly tls?: TransportSocket;
}

/** Nothing is refused. */
export const NO_GUARD: Guard = {
  http: [],
  tcp: [],
  mode: () => "disable",
  otherwise: "disable",
  named: [],
};

/** What Envoy calls connections with TLS. */
const TLS = "tls";

/** What tells connections of a listener apart. */
export interface Tell {
  readonly destinationPort?: number;
  readonly transportProtocol?: string;
  readonly applicationProtocols?: string[];
}

/** One way in. */
export interface Way {
  /** Added to the chain's name. */
  readonly suffix: string;
  /** What tells it from others of the port. */
  readonly match: Tell;
  readonly carries: "http" | "tcp" | "nothing";
  /** Whether mutual TLS is ended. */
  readonly ends?: true;
}

/**
 * The ways into a port. A workload that asks for mutual TLS and has no
 * certificate to offer lets nothing in: to be open in its place would be worse.
 */
export function waysIn(
  protocol: Protocol,
  mode: PeerMode,
  guard: Guard,
  http10: boolean,
): readonly Way[] {
  const plain = plainWays(protocol, http10);
  if (mode === "disable") return plain;
  if (guard.tls === undefined) {
    return mode === "permissive" ? plain : [{ suffix: "-closed", match: {}, carries: "nothing" }];
  }
  if (mode === "strict") return mutualWays(protocol, {});
  return [
    ...mutualWays(protocol, { applicationProtocols: [MESH_ALPN] }),
    ...openWays(protocol, plain),
  ];
}

/** Without regard to TLS. */
function plainWays(protocol: Protocol, http10: boolean): Way[] {
  if (isHttp(protocol)) return [{ suffix: "", match: {}, carries: "http" }];
  const rest: Way = { suffix: "", match: {}, carries: "tcp" };
  if (protocol !== "Unsupported") return [rest];
  // Envoy does not go back: once it has picked the chains without TLS, one of them
  // must take what is not HTTP. The chain for whatever is left serves TLS then.
  const raw = { transportProtocol: RAW_BUFFER };
  return [
    {
      suffix: "-http",
      match: { ...raw, applicationProtocols: httpProtocols(http10) },
      carries: "http",
    },
    { suffix: "-plain", match: raw, carries: "tcp" },
    rest,
  ];
}

/**
 * Under mutual TLS. What is inside cannot be looked at beforehand, so that the
 * client names it.
 *
 * @param narrow what tells the mesh's TLS from an application's own
 */
function mutualWays(protocol: Protocol, narrow: Tell): Way[] {
  const tls = { transportProtocol: TLS };
  if (isHttp(protocol)) return [{ suffix: "-mtls", match: tls, carries: "http", ends: true }];
  const tcp: Way = { suffix: "-mtls", match: { ...tls, ...narrow }, carries: "tcp", ends: true };
  if (protocol !== "Unsupported") return [tcp];
  const http = { ...tls, applicationProtocols: [...MESH_HTTP_ALPNS] };
  return [{ suffix: "-mtls-http", match: http, carries: "http", ends: true }, tcp];
}

/**
 * What may come in beside mutual TLS. An application's own TLS goes on as it is;
 * Envoy does not go back, so each kind of transport has its chain.
 */
function openWays(protocol: Protocol, plain: readonly Way[]): readonly Way[] {
  const raw = { transportProtocol: RAW_BUFFER };
  if (isHttp(protocol)) return plain.map((way) => ({ ...way, suffix: "-plain", match: raw }));
  const own: Way = { suffix: "", match: { transportProtocol: TLS }, carries: "tcp" };
  if (protocol !== "Unsupported") return [own, { suffix: "-plain", match: raw, carries: "tcp" }];
  return [...plain.filter(({ suffix }) => suffix !== ""), own];
}

/** Whether connections to a port are looked at for TLS, or for HTTP. */
export function looks(
  protocol: Protocol,
  mode: PeerMode,
  guard: Guard,
): { readonly tls: boolean; readonly http: boolean } {
  const mutual = mode !== "disable" && guard.tls !== undefined;
  const detects = protocol === "Unsupported" &&
    !(mode === "strict" && (mutual || guard.tls === undefined));
  return { tls: mutual || detects, http: detects };
}
