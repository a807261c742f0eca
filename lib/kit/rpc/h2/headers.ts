/**
 * Header blocks: HEADERS and CONTINUATION frames, and the streams that they open or end.
 *
 * @module
 */
import { H2Error, H2StreamError, protocolError } from "./error.ts";
import { type BlockKind, contentLength, ruleBroken } from "./fields.ts";
import { contentOf, FLAG, type Frame, readUint31, resetFrame } from "./frame.ts";
import type { Headers } from "./hpack.ts";
import { MAX_BLOCK, nuisance, reply, spendHeaders, STREAM_BYTES } from "./limits.ts";
import { type ConnectionState, hold, newStream, removeIfDone, type StreamState } from "./state.ts";
import { streamOf } from "./stream.ts";

/** A complete header block. */
interface Block {
  readonly stream: number;
  readonly end: boolean;
  readonly isSelfDependent: boolean;
  readonly bytes: Uint8Array;
}

/** Handles a HEADERS frame. */
export function receiveHeaders(state: ConnectionState, frame: Frame): void {
  const { stream, flags, payload } = frame;
  if (stream === 0) throw protocolError("HEADERS of stream 0");
  const bytes = contentOf(frame);
  const block: Block = {
    stream,
    end: (flags & FLAG.END_STREAM) !== 0,
    isSelfDependent: (flags & FLAG.PRIORITY) !== 0 &&
      readUint31(payload, flags & FLAG.PADDED ? 1 : 0) === stream,
    bytes,
  };
  if (flags & FLAG.END_HEADERS) return receiveBlock(state, block);
  const room = new Uint8Array(MAX_BLOCK);
  room.set(bytes);
  hold(state, room.length);
  state.block = { ...block, bytes: room, size: bytes.length };
}

/** Handles a CONTINUATION frame. */
export function receiveContinuation(state: ConnectionState, { flags, payload }: Frame): void {
  const { block } = state;
  if (!block) throw protocolError("CONTINUATION without HEADERS");
  nuisance(state);
  if (block.size + payload.length > MAX_BLOCK) {
    throw new H2Error("ENHANCE_YOUR_CALM", "a header block is too large", "header-list");
  }
  block.bytes.set(payload, block.size);
  block.size += payload.length;
  if (!(flags & FLAG.END_HEADERS)) return;
  state.block = undefined;
  hold(state, -block.bytes.length);
  receiveBlock(state, { ...block, bytes: block.bytes.subarray(0, block.size) });
}

/** Handles a complete block. It is decoded in any case, because later blocks depend on it. */
function receiveBlock(state: ConnectionState, block: Block): void {
  const { headers, size } = state.decoder.decode(block.bytes);
  spendHeaders(state, size);
  const stream = state.streams.get(block.stream);
  if (!stream) {
    if (!opens(state, block.stream)) return;
    state.lastPeer = block.stream;
    nuisance(state);
  }
  if (block.isSelfDependent) throw malformed(block, "a stream depends on itself");
  if (!headers) {
    throw new H2StreamError(block.stream, "ENHANCE_YOUR_CALM", {
      message: "the headers of a stream are too large or too many",
      refusal: "header-list",
    });
  }
  if (stream) return receiveMore(state, stream, { block, headers });
  openStream(state, block, { headers, size });
}

/**
 * Reports if a block opens a stream. False when it comes late, for a stream that this side has
 * reset.
 */
function opens(state: ConnectionState, id: number): boolean {
  const isPeers = state.options.role === "server" && id % 2 === 1;
  if (isPeers && id > state.lastPeer) return true;
  const closer = state.closedStreams.closerOf(id);
  if (closer === "peer") {
    throw new H2Error("STREAM_CLOSED", "HEADERS of a stream that the peer has ended");
  }
  if (closer === undefined) throw protocolError("HEADERS of a stream that cannot be opened");
  nuisance(state);
  return false;
}

/** Response headers, or trailers. */
function receiveMore(
  state: ConnectionState,
  stream: StreamState,
  { block, headers }: { readonly block: Block; readonly headers: Headers },
): void {
  const { end } = block;
  if (stream.remoteEnded) {
    throw new H2StreamError(stream.id, "STREAM_CLOSED", {
      message: "HEADERS behind the end of a stream",
    });
  }
  const kind: BlockKind = state.options.role === "client" &&
      headers.some(([name]) => name.startsWith(":"))
    ? "response"
    : "trailers";
  const broken = ruleBroken(headers, kind);
  if (broken) throw malformed(block, broken);
  if (kind === "trailers" && !end) throw malformed(block, "trailers do not end the stream");
  if (kind === "response") stream.remaining = contentLength(headers);
  if (end) endRemote(stream);
  stream.listener?.headers(headers, end);
  removeIfDone(state, stream);
}

function openStream(
  state: ConnectionState,
  block: Block,
  { headers, size }: { readonly headers: Headers; readonly size: number },
): void {
  const { accept, maxStreams, maxUnadmitted = maxStreams, observer } = state.options;
  const broken = ruleBroken(headers, "request");
  if (broken) throw malformed(block, broken);
  const open = state.streams.size;
  const isFull = open >= maxStreams;
  if (!accept || state.retiring || isFull || open - state.admitted >= maxUnadmitted) {
    if (!state.retiring) observer?.refused(isFull ? "streams" : "unadmitted-streams");
    return reply(state, resetFrame(block.stream, "REFUSED_STREAM"));
  }
  const stream = newStream(state, block.stream, undefined);
  stream.remaining = contentLength(headers);
  if (block.end) endRemote(stream);
  stream.held = STREAM_BYTES + size;
  hold(state, stream.held);
  if (state.over) return;
  stream.listener = accept(streamOf(state, stream), headers, block.end);
}

/** The peer's side of a stream is over. Throws `H2StreamError` when content is missing. */
export function endRemote(stream: StreamState): void {
  stream.remoteEnded = true;
  if (stream.remaining) {
    throw new H2StreamError(stream.id, "PROTOCOL_ERROR", {
      message: "the content is shorter than content-length",
    });
  }
}

function malformed({ stream }: Block, message: string): H2StreamError {
  return new H2StreamError(stream, "PROTOCOL_ERROR", { message });
}
