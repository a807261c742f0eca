/**
 * For tests: listeners of every kind the builders know, by name. Each has a
 * golden file, and the real Envoy is asked about those.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { GATEWAY_CASES } from "./cases/gateway.ts";
import { INBOUND_CASES } from "./cases/inbound.ts";
import { OUTBOUND_CASES } from "./cases/outbound.ts";

export { logged, MANAGER_DEFAULTS } from "./cases/values.ts";

/** Name of the case → the listener. */
export const LISTENER_CASES: Readonly<Record<string, () => Listener>> = {
  ...OUTBOUND_CASES,
  ...INBOUND_CASES,
  ...GATEWAY_CASES,
};
