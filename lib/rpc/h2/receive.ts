/**
 * The receiving half of a connection: what each frame does, and what is too much.
 *
 * @module
 */
import { H2_CODE, type H2Code, H2Error } from "./error.ts";
import {
  contentOf,
  FLAG,
  FRAME,
  type Frame,
  frame as newFrame,
  MAX_FRAME,
  MAX_WINDOW,
  readUint31,
  resetFrame,
  SETTING,
  windowFrame,
} from "./frame.ts";
import {
  type ConnectionState,
  control,
  finish,
  type H2Stream,
  newStream,
  removeStream,
  type StreamState,
} from "./state.ts";

/** Encoded size of a header block over all its frames, bytes. */
const MAX_BLOCK = 32 * 1024;
/** Bytes that all streams of a connection together may have in memory. */
const MAX_HELD = 64 * 1024 * 1024;
/** Control frames that may wait for a peer that does not read. */
const MAX_CONTROL_FRAMES = 1000;
/** Resets, empty frames and the like that a peer may send in {@link NUISANCE_MS}. */
const MAX_NUISANCE = 2000;
const NUISANCE_MS = 10_000;

type Handle = (state: ConnectionState, stream: StreamState) => H2Stream;

/** Takes in a frame. Throws `H2Error` for what ends the connection. */
export function receive(state: ConnectionState, frame: Frame, handle: Handle): void {
  if (state.block && (frame.type !== FRAME.CONTINUATION || frame.stream !== state.block.stream)) {
    throw protocol("a header block was interrupted");
  }
  switch (frame.type) {
    case FRAME.DATA:
      return data(state, frame);
    case FRAME.HEADERS:
      return headers(state, frame, handle);
    case FRAME.CONTINUATION:
      return continuation(state, frame, handle);
    case FRAME.RST_STREAM:
      return reset(state, frame);
    case FRAME.SETTINGS:
      return settings(state, frame);
    case FRAME.PING:
      return ping(state, frame);
    case FRAME.GOAWAY:
      return goAway(state, frame);
    case FRAME.WINDOW_UPDATE:
      return windowUpdate(state, frame);
    case FRAME.PUSH_PROMISE:
      throw protocol("pushed streams are not taken");
    default:
      // PRIORITY and frames nobody knows mean nothing.
      nuisance(state);
  }
}

function data(state: ConnectionState, frame: Frame): void {
  const size = frame.payload.length;
  const content = contentOf(frame);
  const end = (frame.flags & FLAG.END_STREAM) !== 0;
  takeFromConnection(state, size);
  if (content.length === 0 && !end) nuisance(state);
  const stream = state.streams.get(frame.stream);
  if (!stream || stream.remoteEnded) return late(state, frame.stream);
  stream.receiveWindow -= size;
  if (stream.receiveWindow < 0) {
    throw new H2Error("FLOW_CONTROL_ERROR", "more was sent on a stream than allowed");
  }
  // Padding is given back at once; nobody else knows of it.
  stream.receiveWindow += size - content.length;
  if (size > content.length) control(state, windowFrame(stream.id, size - content.length));
  stream.remoteEnded = end;
  stream.listener?.data(content, end);
  if (state.held > MAX_HELD) throw new H2Error("ENHANCE_YOUR_CALM", "too much waits to be read");
  if (end && stream.localEnded) removeStream(state, stream);
}

/** The connection's window is refilled as it is used: the streams' windows hold back who is not read. */
function takeFromConnection(state: ConnectionState, size: number): void {
  state.receiveWindow -= size;
  if (state.receiveWindow < 0) {
    throw new H2Error("FLOW_CONTROL_ERROR", "more was sent than allowed");
  }
  const used = state.options.window - state.receiveWindow;
  if (used < state.options.window / 4) return;
  control(state, windowFrame(0, used));
  state.receiveWindow += used;
}

/** A frame for a stream that is not open: fine if it was, and the peer may not know yet. */
function late(state: ConnectionState, id: number): void {
  if (wasOpen(state, id)) return;
  throw protocol("a frame for a stream that nobody opened");
}

function wasOpen(state: ConnectionState, id: number): boolean {
  const own = (id % 2 === 1) === (state.options.role === "client");
  return id !== 0 && (own ? id < state.nextOwn : id <= state.lastPeer);
}

function headers(state: ConnectionState, frame: Frame, handle: Handle): void {
  if (frame.stream === 0) throw protocol("headers without a stream");
  const part = contentOf(frame);
  const end = (frame.flags & FLAG.END_STREAM) !== 0;
  if (frame.flags & FLAG.END_HEADERS) return block(state, frame.stream, part, end, handle);
  state.block = { stream: frame.stream, end, parts: [part.slice()], size: part.length };
}

function continuation(state: ConnectionState, frame: Frame, handle: Handle): void {
  const open = state.block;
  if (!open) throw protocol("a continuation of nothing");
  open.parts.push(frame.payload.slice());
  open.size += frame.payload.length;
  if (open.size > MAX_BLOCK) throw new H2Error("ENHANCE_YOUR_CALM", "the headers are too large");
  if (frame.payload.length === 0) nuisance(state);
  if (!(frame.flags & FLAG.END_HEADERS)) return;
  state.block = undefined;
  const whole = new Uint8Array(open.size);
  let at = 0;
  for (const part of open.parts) {
    whole.set(part, at);
    at += part.length;
  }
  block(state, open.stream, whole, open.end, handle);
}

/** A complete header block. It is decoded in any case: the table depends on it. */
function block(
  state: ConnectionState,
  id: number,
  bytes: Uint8Array,
  end: boolean,
  handle: Handle,
): void {
  const decoded = state.decoder.decode(bytes);
  const stream = state.streams.get(id);
  if (stream) {
    if (stream.remoteEnded) throw new H2Error("STREAM_CLOSED", "headers on a stream that ended");
    stream.remoteEnded = end;
    stream.listener?.headers(decoded, end);
    if (end && stream.localEnded) removeStream(state, stream);
    return;
  }
  const { accept, maxStreams, role } = state.options;
  if (role === "client" || id % 2 === 0 || id <= state.lastPeer) return late(state, id);
  state.lastPeer = id;
  if (!accept || state.retiring || state.streams.size >= maxStreams) {
    nuisance(state);
    control(state, resetFrame(id, "REFUSED_STREAM"));
    return;
  }
  const fresh = newStream(state, id, undefined);
  fresh.remoteEnded = end;
  fresh.listener = accept(handle(state, fresh), decoded, end);
}

function reset(state: ConnectionState, { stream: id, payload }: Frame): void {
  sized(payload, 4);
  nuisance(state);
  const stream = state.streams.get(id);
  if (!stream) return late(state, id);
  removeStream(state, stream);
  stream.listener?.aborted(codeOf(readUint31(payload, 0)));
}

function codeOf(number: number): H2Code {
  for (const [name, code] of Object.entries(H2_CODE)) if (code === number) return name as H2Code;
  return "INTERNAL_ERROR";
}

function settings(state: ConnectionState, { flags, stream, payload }: Frame): void {
  if (stream !== 0) throw protocol("settings of a stream");
  if (flags & FLAG.ACK) return sized(payload, 0);
  if (payload.length % 6 !== 0) throw new H2Error("FRAME_SIZE_ERROR", "malformed settings");
  nuisance(state);
  for (let at = 0; at < payload.length; at += 6) {
    const id = payload[at]! * 256 + payload[at + 1]!;
    const value = readUint31(payload, at + 2) + (payload[at + 2]! >> 7) * 2 ** 31;
    if (id === SETTING.INITIAL_WINDOW_SIZE) initialWindow(state, value);
    if (id === SETTING.MAX_FRAME_SIZE) {
      if (value < MAX_FRAME || value >= 2 ** 24) throw protocol("an impossible frame size");
      // Larger frames would gain nothing, and hold up the other streams.
      state.peerMaxFrame = MAX_FRAME;
    }
  }
  reply(state, newFrame(FRAME.SETTINGS, FLAG.ACK, 0));
}

function initialWindow(state: ConnectionState, value: number): void {
  if (value > MAX_WINDOW) throw new H2Error("FLOW_CONTROL_ERROR", "an impossible window");
  const change = value - state.peerWindow;
  state.peerWindow = value;
  for (const stream of state.streams.values()) {
    stream.sendWindow += change;
    if (stream.sendWindow > MAX_WINDOW) {
      throw new H2Error("FLOW_CONTROL_ERROR", "an impossible window");
    }
    if (stream.queue.length > 0) state.ready.add(stream);
  }
}

function ping(state: ConnectionState, { flags, stream, payload }: Frame): void {
  if (stream !== 0) throw protocol("a ping of a stream");
  sized(payload, 8);
  if (flags & FLAG.ACK) return;
  nuisance(state);
  reply(state, newFrame(FRAME.PING, FLAG.ACK, 0, payload));
}

/** The peer takes no more streams; those it did not see are lost. */
function goAway(state: ConnectionState, { payload }: Frame): void {
  if (payload.length < 8) throw new H2Error("FRAME_SIZE_ERROR", "a malformed farewell");
  const last = readUint31(payload, 0);
  state.retiring = true;
  if (state.options.role === "client") {
    for (const stream of [...state.streams.values()]) {
      if (stream.id <= last) continue;
      removeStream(state, stream);
      stream.listener?.aborted("REFUSED_STREAM");
    }
  }
  if (state.streams.size === 0) finish(state, undefined, true);
}

function windowUpdate(state: ConnectionState, { stream: id, payload }: Frame): void {
  sized(payload, 4);
  const credit = readUint31(payload, 0);
  if (credit === 0) throw protocol("a window that grows by nothing");
  if (id === 0) {
    state.sendWindow += credit;
    if (state.sendWindow > MAX_WINDOW) {
      throw new H2Error("FLOW_CONTROL_ERROR", "an impossible window");
    }
    return;
  }
  const stream = state.streams.get(id);
  if (!stream) return late(state, id);
  stream.sendWindow += credit;
  if (stream.sendWindow > MAX_WINDOW) {
    throw new H2Error("FLOW_CONTROL_ERROR", "an impossible window");
  }
  if (stream.queue.length > 0) state.ready.add(stream);
}

/** An answer that the protocol asks for. A peer that asks and does not read is not answered for ever. */
function reply(state: ConnectionState, bytes: Uint8Array): void {
  control(state, bytes);
  if (state.control.length > MAX_CONTROL_FRAMES) {
    throw new H2Error("ENHANCE_YOUR_CALM", "too many answers wait to be read");
  }
}

/** Counts what costs us and means little. Busy clients do some of it, attackers much. */
function nuisance(state: ConnectionState): void {
  const now = performance.now();
  if (now - state.nuisanceSince > NUISANCE_MS) {
    state.nuisanceSince = now;
    state.nuisance = 0;
  }
  if (++state.nuisance > MAX_NUISANCE) {
    throw new H2Error("ENHANCE_YOUR_CALM", "too many resets, pings or empty frames");
  }
}

function sized(payload: Uint8Array, size: number): void {
  if (payload.length !== size) throw new H2Error("FRAME_SIZE_ERROR", "a frame of a wrong size");
}

function protocol(message: string): H2Error {
  return new H2Error("PROTOCOL_ERROR", message);
}
