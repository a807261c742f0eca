/**
 * The timers of a connection: the wait for its begin, and pings while it is silent.
 *
 * @module
 */
import { FRAME, frame } from "./frame.ts";
import { type ConnectionState, control, finish } from "./state.ts";
import { transmit } from "./transmit.ts";

/** Time in which a peer has to send its preface and SETTINGS, ms. */
const HANDSHAKE_MS = 10_000;

/** Waits for the peer's SETTINGS, and then for silence. */
export function startTimers(state: ConnectionState): void {
  state.timer = setTimeout(() => {
    if (state.settled) return watchSilence(state);
    state.options.observer?.refused("handshake");
    finish(state, new Error("the peer did not begin with HTTP/2 in time"));
  }, HANDSHAKE_MS);
}

/** Pings a silent peer, and ends the connection when no answer comes. */
function watchSilence(state: ConnectionState): void {
  const { keepalive } = state.options;
  if (!keepalive || state.over) return;
  const wait = state.lastHeard + keepalive.interval - performance.now();
  if (wait > 0) {
    state.timer = setTimeout(() => watchSilence(state), wait);
    return;
  }
  const asked = performance.now();
  control(state, frame(FRAME.PING, 0, 0, new Uint8Array(8)));
  transmit(state);
  state.timer = setTimeout(() => {
    if (state.lastHeard < asked) finish(state, new Error("the peer does not answer"));
    else watchSilence(state);
  }, keepalive.timeout);
}
