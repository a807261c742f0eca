/**
 * Simulates a request with the resources that a proxy is served: its listener, filter chain, HTTP
 * filters (JWT, RBAC, faults), route, cluster. Parts that are not modelled are named, never
 * guessed.
 *
 * @module
 */
export type { AccessTrace, RuleTrace } from "./access_trace.ts";
export type { Clause } from "./clauses.ts";
export type { IssuerTrace, TokenTrace } from "./token_trace.ts";
export type { Call, ClientTls, KeyKnowledge, Request, Source, Token } from "./call.ts";
export { follow } from "./follow.ts";
export { renderVerdict } from "./render.ts";
export {
  type Decode,
  decodeOnce,
  type Encoded,
  type Resources,
  resourcesOf,
  type Served,
  type Shelf,
} from "./resources.ts";
export { type TunnelEndRoute, tunnelRouteOf } from "./tunnel.ts";
export type {
  Answered,
  Closed,
  Ending,
  Forwarded,
  Handshake,
  Sent,
  Stage,
  Step,
  Target,
  Undecided,
  Upstream,
  Verdict,
} from "./verdict.ts";
export { type Documents, servedTo, simulate } from "./world.ts";
