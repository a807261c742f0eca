/**
 * The sending half of a connection: control frames first, then the streams in turn, as far as the
 * windows and the socket allow. Content is copied here and nowhere before, in pieces of bounded
 * size, so that what waits for a slow peer is references to bytes that others share.
 *
 * @module
 */
import { closeIfDone, type ConnectionState, removeStream, type StreamState } from "./state.ts";
import { FRAME, HEAD, resetFrame, writeHead } from "./frame.ts";

/** Something a stream has to send: content, or header frames. */
export type Outgoing =
  | {
    readonly parts: readonly Uint8Array[];
    /** How far it got: the part, and the offset in it. */
    part: number;
    at: number;
    readonly taken: () => void;
  }
  | { readonly frames: readonly Uint8Array[]; readonly end: boolean };

/** Bytes written to the socket in one piece, at most about. */
const CHUNK = 64 * 1024;
/** Room in a piece that is not worth a frame. */
const SMALLEST = 1024;
/** Bytes the socket may have waiting before it is given more. */
const UNSENT = 128 * 1024;

/** Writes what can be written now. */
export function transmit(state: ConnectionState): void {
  while (!state.over && state.unsent < UNSENT) {
    const taken: (() => void)[] = [];
    const chunk = nextChunk(state, taken);
    if (!chunk) return;
    state.unsent += chunk.length;
    state.options.socket.write(chunk, () => {
      state.unsent -= chunk.length;
      for (const tell of taken) tell();
      transmit(state);
      closeIfDone(state);
    });
  }
}

/** The next piece for the socket; `undefined` when nothing may be sent. */
function nextChunk(state: ConnectionState, taken: (() => void)[]): Uint8Array | undefined {
  const pieces: Piece[] = [];
  let size = 0;
  for (const bytes of state.control) {
    pieces.push(bytes);
    size += bytes.length;
  }
  state.control = [];
  while (size < CHUNK - SMALLEST) {
    const stream = nextReady(state);
    if (!stream) break;
    size += takeTurn(state, stream, pieces, taken, CHUNK - size);
  }
  return pieces.length === 0 ? undefined : assemble(pieces);
}

/** Bytes as they are, or the head of a DATA frame with the stretch of content that follows it. */
type Piece = Uint8Array | { stream: number; size: number };

/** The first stream that may send now. Those that have nothing to send are dropped from the list. */
function nextReady(state: ConnectionState): StreamState | undefined {
  for (const stream of state.ready) {
    const [next] = stream.queue;
    if (!next) {
      state.ready.delete(stream);
      continue;
    }
    if ("frames" in next || (stream.sendWindow > 0 && state.sendWindow > 0)) return stream;
  }
  return undefined;
}

/** Sends a frame, or a few, of one stream; then it is the next one's turn. */
function takeTurn(
  state: ConnectionState,
  stream: StreamState,
  pieces: Piece[],
  taken: (() => void)[],
  room: number,
): number {
  const next = stream.queue[0]!;
  state.ready.delete(stream);
  state.ready.add(stream);
  if ("frames" in next) {
    stream.queue.shift();
    pieces.push(...next.frames);
    if (next.end) end(state, stream, pieces);
    return next.frames.reduce((sum, bytes) => sum + bytes.length, 0);
  }
  const limit = Math.min(state.peerMaxFrame, state.sendWindow, stream.sendWindow, room - HEAD);
  const head = { stream: stream.id, size: 0 };
  pieces.push(head);
  head.size = takeContent(next, pieces, limit);
  state.sendWindow -= head.size;
  stream.sendWindow -= head.size;
  if (next.part === next.parts.length) {
    stream.queue.shift();
    taken.push(next.taken);
  }
  return HEAD + head.size;
}

/** Moves content of up to `limit` bytes into the pieces. */
function takeContent(
  next: Extract<Outgoing, { taken: () => void }>,
  pieces: Piece[],
  limit: number,
): number {
  let size = 0;
  while (next.part < next.parts.length) {
    const part = next.parts[next.part]!;
    const rest = part.length - next.at;
    if (rest > limit - size) {
      if (limit > size) pieces.push(part.subarray(next.at, next.at + limit - size));
      next.at += limit - size;
      return limit;
    }
    pieces.push(next.at === 0 ? part : part.subarray(next.at));
    size += rest;
    next.part++;
    next.at = 0;
  }
  return size;
}

/** Our side of the stream is over. A server that is done does not wait for the client to be. */
function end(state: ConnectionState, stream: StreamState, pieces: Piece[]): void {
  const { remoteEnded } = stream;
  if (!remoteEnded && state.options.role === "client") return;
  if (!remoteEnded) pieces.push(resetFrame(stream.id, "NO_ERROR"));
  removeStream(state, stream);
}

function assemble(pieces: readonly Piece[]): Uint8Array {
  let size = 0;
  for (const piece of pieces) size += piece instanceof Uint8Array ? piece.length : HEAD;
  const chunk = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      chunk.set(piece, at);
      at += piece.length;
    } else {
      writeHead(chunk, at, piece.size, FRAME.DATA, 0, piece.stream);
      at += HEAD;
    }
  }
  return chunk;
}
