/**
 * Ends a connection without losing streams, in two steps: a first GOAWAY announces the end, and a
 * second one, when all that the client sent before it knew has arrived, names the last stream; RFC
 * 9113 section 6.8.
 *
 * @module
 */
import { FRAME, frame, goAwayFrame } from "./frame.ts";
import { closeIfDone, type ConnectionState, control } from "./state.ts";
import { transmit } from "./transmit.ts";

/** Last stream of the first GOAWAY: it excludes none. */
const NO_LAST_STREAM = 2 ** 31 - 1;
/** Payload of the PING that asks whether the first GOAWAY arrived. */
const PROBE: Uint8Array = new TextEncoder().encode("retiring");
/** Longest wait for the answer, ms. */
const ANSWER_MS = 1000;

/** Sends GOAWAY; the connection closes when its last stream has ended. */
export function retire(state: ConnectionState): void {
  if (state.announced || state.retiring || state.over) return;
  if (state.options.role === "client") return sendLast(state);
  state.announced = true;
  control(state, goAwayFrame(NO_LAST_STREAM, "NO_ERROR"));
  control(state, frame(FRAME.PING, 0, 0, PROBE));
  state.goAwayTimer = setTimeout(() => sendLast(state), ANSWER_MS);
  transmit(state);
}

/** Handles the answer to a PING. */
export function receivePingAck(state: ConnectionState, payload: Uint8Array): void {
  if (state.announced && PROBE.every((byte, i) => payload[i] === byte)) sendLast(state);
}

/** Sends the GOAWAY that names the last stream. */
function sendLast(state: ConnectionState): void {
  clearTimeout(state.goAwayTimer);
  if (state.retiring || state.over) return;
  state.retiring = true;
  control(state, goAwayFrame(state.lastPeer, "NO_ERROR"));
  transmit(state);
  closeIfDone(state);
}
