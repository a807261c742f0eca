/**
 * For tests: listeners of every kind, by name. Each has a golden file, which a real Envoy
 * validates.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { GATEWAY_CASES } from "./gateway_listeners.ts";
import { INBOUND_CASES } from "./inbound_listeners.ts";
import { OUTBOUND_CASES } from "./outbound_listeners.ts";

/** Name of the case → the listener. */
export const LISTENER_CASES: Readonly<Record<string, () => Listener>> = {
  ...OUTBOUND_CASES,
  ...INBOUND_CASES,
  ...GATEWAY_CASES,
};
