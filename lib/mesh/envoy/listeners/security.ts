/**
 * Security policies of a workload's ports, and the filter chains that implement them.
 *
 * @module
 */
import type { CidrRange } from "#envoy/config/core/v3/address_pb.ts";
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import type { Filter } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { HttpFilter } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { isHttp, type PeerMode, type Protocol } from "../../model/mod.ts";
import { MESH_ALPN, MESH_HTTP_ALPNS } from "../core/mod.ts";
import { httpProtocols, RAW_BUFFER } from "./detect.ts";

/** Security policies of a workload. */
export interface SecurityPolicies {
  /** HTTP filters before requests are forwarded, in order. */
  readonly http: readonly HttpFilter[];
  /** Network filters before connections are forwarded, in order. */
  readonly tcp: readonly Filter[];
  /** Mutual TLS mode of a port. */
  readonly mode: (port: number) => PeerMode;
  /** Mutual TLS mode of undeclared ports. */
  readonly otherwise: PeerMode;
  /** Ports that the policy itself names. */
  readonly named: readonly number[];
  /** Terminates mutual TLS; `undefined`: the workload has no certificate. */
  readonly tls?: TransportSocket;
}

/** Everything is allowed. */
export const NO_SECURITY: SecurityPolicies = {
  http: [],
  tcp: [],
  mode: () => "disable",
  otherwise: "disable",
  named: [],
};

/** Envoy's transport protocol of connections with TLS. */
const TLS = "tls";

/** Match of a filter chain within a listener. */
export interface PortMatch {
  readonly destinationPort?: number;
  readonly transportProtocol?: string;
  readonly applicationProtocols?: string[];
  readonly prefixRanges?: CidrRange[];
}

/** One filter chain of a port. */
export interface ChainPlan {
  /** Suffix of the chain's name. */
  readonly suffix: string;
  /** Match that separates it from other chains of the port. */
  readonly match: PortMatch;
  readonly carries: "http" | "tcp" | "nothing";
  /** True: it terminates mutual TLS. */
  readonly ends?: true;
}

/**
 * Returns the filter chains of a port. A workload that requires mutual TLS and has no certificate
 * accepts no connection: plain text would be worse.
 */
export function inboundChains(
  protocol: Protocol,
  mode: PeerMode,
  security: SecurityPolicies,
  http10: boolean,
): readonly ChainPlan[] {
  const plain = plainChains(protocol, http10);
  if (mode === "disable") return plain;
  if (security.tls === undefined) {
    return mode === "permissive" ? plain : [{ suffix: "-closed", match: {}, carries: "nothing" }];
  }
  if (mode === "strict") return mutualChains(protocol, {});
  return [
    ...mutualChains(protocol, { applicationProtocols: [MESH_ALPN] }),
    ...permissiveChains(protocol, plain),
  ];
}

/** Chains without mutual TLS. */
function plainChains(protocol: Protocol, http10: boolean): ChainPlan[] {
  if (isHttp(protocol)) return [{ suffix: "", match: {}, carries: "http" }];
  const rest: ChainPlan = { suffix: "", match: {}, carries: "tcp" };
  if (protocol !== "Unsupported") return [rest];
  // Envoy does not backtrack: after it has selected the chains without TLS, one of them must match
  // what is not HTTP. The last chain then serves TLS.
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
 * Chains with mutual TLS. Encrypted content cannot be inspected, so the client announces HTTP by
 * ALPN.
 *
 * @param narrow match that separates the mesh's TLS from an application's own TLS
 */
function mutualChains(protocol: Protocol, narrow: PortMatch): ChainPlan[] {
  const tls = { transportProtocol: TLS };
  if (isHttp(protocol)) return [{ suffix: "-mtls", match: tls, carries: "http", ends: true }];
  const tcp: ChainPlan = {
    suffix: "-mtls",
    match: { ...tls, ...narrow },
    carries: "tcp",
    ends: true,
  };
  if (protocol !== "Unsupported") return [tcp];
  const http = { ...tls, applicationProtocols: [...MESH_HTTP_ALPNS] };
  return [{ suffix: "-mtls-http", match: http, carries: "http", ends: true }, tcp];
}

/**
 * Chains for plain text in permissive mode. An application's own TLS is passed through. Envoy does
 * not backtrack, so each transport has its own chain.
 */
function permissiveChains(protocol: Protocol, plain: readonly ChainPlan[]): readonly ChainPlan[] {
  const raw = { transportProtocol: RAW_BUFFER };
  if (isHttp(protocol)) return plain.map((way) => ({ ...way, suffix: "-plain", match: raw }));
  const own: ChainPlan = { suffix: "", match: { transportProtocol: TLS }, carries: "tcp" };
  if (protocol !== "Unsupported") return [own, { suffix: "-plain", match: raw, carries: "tcp" }];
  return [...plain.filter(({ suffix }) => suffix !== ""), own];
}

/** Returns which inspections (TLS, HTTP) the connections to a port need. */
export function neededInspection(
  protocol: Protocol,
  mode: PeerMode,
  security: SecurityPolicies,
): { readonly tls: boolean; readonly http: boolean } {
  const mutual = mode !== "disable" && security.tls !== undefined;
  const detects = protocol === "Unsupported" &&
    !(mode === "strict" && (mutual || security.tls === undefined));
  return { tls: mutual || detects, http: detects };
}
