/**
 * The SETTINGS of the peer, RFC 9113 section 6.5.
 *
 * @module
 */
import { H2Error, protocolError } from "./error.ts";
import {
  FLAG,
  FRAME,
  type Frame,
  frame as newFrame,
  MAX_FRAME,
  MAX_WINDOW,
  readUint32,
  SETTING,
} from "./frame.ts";
import { MAX_SETTINGS, nuisance, reply } from "./limits.ts";
import type { ConnectionState } from "./state.ts";

/** Bytes of an entry. */
const ENTRY = 6;
/** Largest value of SETTINGS_MAX_FRAME_SIZE. */
const LARGEST_FRAME = 2 ** 24 - 1;
/** Streams whose windows are changed for the weight of one nuisance. */
const STREAMS_PER_NUISANCE = 64;

/** Handles a SETTINGS frame: applies the last value of each setting, and acknowledges. */
export function receiveSettings(state: ConnectionState, { flags, stream, payload }: Frame): void {
  if (stream !== 0) throw protocolError("SETTINGS of a stream");
  if (flags & FLAG.ACK) {
    if (payload.length > 0) throw new H2Error("FRAME_SIZE_ERROR", "SETTINGS ACK has a payload");
    return;
  }
  if (payload.length % ENTRY !== 0) throw new H2Error("FRAME_SIZE_ERROR", "SETTINGS is cut off");
  if (payload.length > MAX_SETTINGS * ENTRY) {
    throw new H2Error("ENHANCE_YOUR_CALM", "SETTINGS has too many entries", "flood");
  }
  nuisance(state);
  let window: number | undefined;
  for (let at = 0; at < payload.length; at += ENTRY) {
    const id = payload[at]! * 256 + payload[at + 1]!;
    const value = readUint32(payload, at + 2);
    checkSetting(state, id, value);
    if (id === SETTING.INITIAL_WINDOW_SIZE) window = value;
    if (id === SETTING.MAX_CONCURRENT_STREAMS) state.peerMaxStreams = value;
    // Frames larger than the initial value would gain nothing, and hold up the other streams.
    if (id === SETTING.MAX_FRAME_SIZE) state.peerMaxFrame = MAX_FRAME;
  }
  if (window !== undefined) changeWindows(state, window);
  reply(state, newFrame(FRAME.SETTINGS, FLAG.ACK, 0));
}

function checkSetting({ options }: ConnectionState, id: number, value: number): void {
  if (id === SETTING.ENABLE_PUSH && value > (options.role === "server" ? 1 : 0)) {
    throw protocolError("a value of SETTINGS_ENABLE_PUSH that is not allowed");
  }
  if (id === SETTING.INITIAL_WINDOW_SIZE && value > MAX_WINDOW) {
    throw new H2Error("FLOW_CONTROL_ERROR", "SETTINGS_INITIAL_WINDOW_SIZE is too large");
  }
  if (id === SETTING.MAX_FRAME_SIZE && (value < MAX_FRAME || value > LARGEST_FRAME)) {
    throw protocolError("a value of SETTINGS_MAX_FRAME_SIZE that is not allowed");
  }
}

/** Changes the windows of all streams by the difference to the last value, section 6.9.2. */
function changeWindows(state: ConnectionState, value: number): void {
  const change = value - state.peerWindow;
  state.peerWindow = value;
  if (change === 0) return;
  nuisance(state, Math.floor(state.streams.size / STREAMS_PER_NUISANCE));
  for (const stream of state.streams.values()) {
    stream.sendWindow += change;
    if (stream.sendWindow > MAX_WINDOW) {
      throw new H2Error("FLOW_CONTROL_ERROR", "the window of a stream becomes too large");
    }
    if (stream.queue.length > 0) state.ready.add(stream);
  }
}
