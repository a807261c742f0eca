/**
 * The receiving half of a connection: the meaning of each frame.
 *
 * @module
 */
import { codeOf, H2Error, H2StreamError, protocolError } from "./error.ts";
import {
  contentOf,
  FLAG,
  FRAME,
  type Frame,
  frame as newFrame,
  MAX_WINDOW,
  PRIORITY_SIZE,
  readUint31,
  windowFrame,
} from "./frame.ts";
import { endRemote, receiveContinuation, receiveHeaders } from "./headers.ts";
import { MAX_HELD, nuisance, reply } from "./limits.ts";
import { receivePingAck } from "./retire.ts";
import { receiveSettings } from "./settings.ts";
import {
  type ConnectionState,
  finish,
  isIdle,
  removeIfDone,
  removeStream,
  type StreamState,
} from "./state.ts";
import { giveCredit } from "./stream.ts";

/** Part of the connection's window that has to be used before it is refilled. */
const REFILL_PART = 4;

/** Handles a frame. Throws `H2Error` for the connection, `H2StreamError` for one stream. */
export function receive(state: ConnectionState, frame: Frame): void {
  const { block } = state;
  if (block && (frame.type !== FRAME.CONTINUATION || frame.stream !== block.stream)) {
    throw protocolError("a header block is interrupted");
  }
  switch (frame.type) {
    case FRAME.DATA:
      return receiveData(state, frame);
    case FRAME.HEADERS:
      return receiveHeaders(state, frame);
    case FRAME.CONTINUATION:
      return receiveContinuation(state, frame);
    case FRAME.PRIORITY:
      return receivePriority(state, frame);
    case FRAME.RST_STREAM:
      return receiveReset(state, frame);
    case FRAME.SETTINGS:
      return receiveSettings(state, frame);
    case FRAME.PING:
      return receivePing(state, frame);
    case FRAME.GOAWAY:
      return receiveGoAway(state, frame);
    case FRAME.WINDOW_UPDATE:
      return receiveWindowUpdate(state, frame);
    case FRAME.PUSH_PROMISE:
      throw protocolError("PUSH_PROMISE is not allowed");
    default:
      // Frames of unknown types are ignored, RFC 9113 section 5.5.
      nuisance(state);
  }
}

function receiveData(state: ConnectionState, frame: Frame): void {
  if (frame.stream === 0) throw protocolError("DATA of stream 0");
  const size = frame.payload.length;
  const content = contentOf(frame);
  const end = (frame.flags & FLAG.END_STREAM) !== 0;
  takeFromConnection(state, size);
  if (content.length === 0 && !end) nuisance(state);
  const stream = state.streams.get(frame.stream);
  if (!stream) return receiveLate(state, frame.stream);
  if (stream.remoteEnded) {
    throw new H2StreamError(stream.id, "STREAM_CLOSED", {
      message: "DATA behind the end of a stream",
    });
  }
  stream.receiveWindow -= size;
  if (stream.receiveWindow < 0) {
    throw new H2StreamError(stream.id, "FLOW_CONTROL_ERROR", {
      message: "more was sent on a stream than its window allows",
    });
  }
  takeContent(stream, content.length);
  // Padding is credited at once, because the listener does not see it.
  if (size > content.length && !end) giveCredit(state, stream, size - content.length);
  if (end) endRemote(stream);
  stream.listener?.data(content, end);
  if (state.held > (state.options.maxHeld ?? MAX_HELD)) {
    throw new H2Error("ENHANCE_YOUR_CALM", "too much waits to be read", "connection-memory");
  }
  removeIfDone(state, stream);
}

function takeContent(stream: StreamState, size: number): void {
  if (stream.remaining === undefined) return;
  stream.remaining -= size;
  if (stream.remaining < 0) {
    throw new H2StreamError(stream.id, "PROTOCOL_ERROR", {
      message: "the content is longer than content-length",
    });
  }
}

/** Refills the connection's window as it is used: the windows of the streams hold the peer back. */
function takeFromConnection(state: ConnectionState, size: number): void {
  state.receiveWindow -= size;
  if (state.receiveWindow < 0) {
    throw new H2Error("FLOW_CONTROL_ERROR", "more was sent than the connection's window allows");
  }
  const used = state.options.window - state.receiveWindow;
  if (used < state.options.window / REFILL_PART) return;
  reply(state, windowFrame(0, used));
  state.receiveWindow += used;
}

/** Handles DATA of a stream that is not open. The peer may not know that it was reset. */
function receiveLate(state: ConnectionState, id: number): void {
  if (isIdle(state, id)) throw protocolError("a frame of a stream that is not open");
  if (state.closedStreams.closerOf(id) === "peer") {
    throw new H2StreamError(id, "STREAM_CLOSED", { message: "DATA of a stream that was ended" });
  }
  nuisance(state);
}

/** Handles PRIORITY, which means nothing any more but has its rules, RFC 9113 section 6.3. */
function receivePriority(state: ConnectionState, { stream: id, payload }: Frame): void {
  if (id === 0) throw protocolError("PRIORITY of stream 0");
  nuisance(state);
  if (payload.length !== PRIORITY_SIZE) {
    throw new H2StreamError(id, "FRAME_SIZE_ERROR", { message: "PRIORITY has a wrong size" });
  }
  if (readUint31(payload, 0) === id) {
    throw new H2StreamError(id, "PROTOCOL_ERROR", { message: "a stream depends on itself" });
  }
}

function receiveReset(state: ConnectionState, { stream: id, payload }: Frame): void {
  if (id === 0 || isIdle(state, id)) throw protocolError("RST_STREAM of a stream that is not open");
  checkSize(payload, 4);
  nuisance(state);
  const stream = state.streams.get(id);
  if (!stream) return;
  removeStream(state, stream, "peer");
  stream.listener?.aborted(codeOf(readUint31(payload, 0)));
}

function receivePing(state: ConnectionState, { flags, stream, payload }: Frame): void {
  if (stream !== 0) throw protocolError("PING of a stream");
  checkSize(payload, 8);
  if (flags & FLAG.ACK) return receivePingAck(state, payload);
  nuisance(state);
  reply(state, newFrame(FRAME.PING, FLAG.ACK, 0, payload));
}

/** Handles GOAWAY: the peer takes no more streams, and those above the last one were not processed. */
function receiveGoAway(state: ConnectionState, { stream: id, payload }: Frame): void {
  if (id !== 0) throw protocolError("GOAWAY of a stream");
  if (payload.length < 8) throw new H2Error("FRAME_SIZE_ERROR", "GOAWAY is too short");
  const last = readUint31(payload, 0);
  state.retiring = true;
  if (state.options.role === "client") {
    for (const stream of [...state.streams.values()]) {
      if (stream.id <= last) continue;
      removeStream(state, stream, "peer");
      stream.listener?.aborted("REFUSED_STREAM");
    }
  }
  if (state.streams.size === 0) finish(state, undefined, true);
}

function receiveWindowUpdate(state: ConnectionState, { stream: id, payload }: Frame): void {
  checkSize(payload, 4);
  const credit = readUint31(payload, 0);
  if (id === 0) {
    if (credit === 0) throw protocolError("WINDOW_UPDATE of 0");
    state.sendWindow += credit;
    if (state.sendWindow <= MAX_WINDOW) return;
    throw new H2Error("FLOW_CONTROL_ERROR", "the connection's window becomes too large");
  }
  if (isIdle(state, id)) throw protocolError("WINDOW_UPDATE of a stream that is not open");
  const stream = state.streams.get(id);
  if (!stream) return nuisance(state);
  if (credit === 0) {
    throw new H2StreamError(id, "PROTOCOL_ERROR", { message: "WINDOW_UPDATE of 0" });
  }
  stream.sendWindow += credit;
  if (stream.sendWindow > MAX_WINDOW) {
    throw new H2StreamError(id, "FLOW_CONTROL_ERROR", { message: "a window becomes too large" });
  }
  if (stream.queue.length > 0) state.ready.add(stream);
}

function checkSize(payload: Uint8Array, size: number): void {
  if (payload.length !== size) throw new H2Error("FRAME_SIZE_ERROR", "a frame has a wrong size");
}
