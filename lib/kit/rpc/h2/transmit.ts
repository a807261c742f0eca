/**
 * The sending half of a connection: control frames first, then the streams in turn, as far as the
 * windows and the socket allow. Content is copied here and nowhere before, in pieces of bounded
 * size, so that what waits for a slow peer is references to bytes that others share.
 *
 * @module
 */
import {
  closeIfDone,
  type ConnectionState,
  type Outgoing,
  removeStream,
  type StreamState,
} from "./state.ts";
import { FRAME, HEAD, resetFrame, writeHead } from "./frame.ts";

/** Bytes written to the socket in one piece, at most about. */
const CHUNK = 64 * 1024;
/** Room in a piece that is not worth a frame. */
const SMALLEST = 1024;
/** A piece up to this size is copied out of its 64 KiB: idle connections have many of them under way. */
const SHORT = 4096;
/** Pieces kept to be filled again; 4 MiB. */
const SPARE = 64;
/** Bytes of a RST_STREAM frame. */
const RESET = HEAD + 4;
/** Bytes the socket may have waiting before it is given more: one large piece at a time. */
const UNSENT = 32 * 1024;

/** Writes what can be written now. */
export function transmit(state: ConnectionState): void {
  while (!state.over && state.unsent < UNSENT) {
    const taken: (() => void)[] = [];
    const chunk = nextChunk(state, taken);
    if (!chunk) return;
    const { length } = chunk;
    state.unsent += length;
    state.options.socket.write(chunk, (error) => {
      state.unsent -= length;
      if (!error) giveBack(chunk);
      for (const notify of taken) notify();
      transmit(state);
      closeIfDone(state);
    });
  }
}

/** A piece for the socket while it is put together. */
interface Piece {
  bytes: Uint8Array;
  size: number;
}

/** The next piece for the socket; `undefined` when nothing may be sent. */
function nextChunk(state: ConnectionState, taken: (() => void)[]): Uint8Array | undefined {
  if (state.control.length === 0 && !nextReady(state)) return undefined;
  const piece: Piece = { bytes: spare.pop() ?? new Uint8Array(CHUNK), size: 0 };
  let written = 0;
  for (const bytes of state.control) {
    if (!fits(piece, bytes)) break;
    append(piece, bytes);
    written++;
  }
  state.control = state.control.slice(written);
  state.replies = Math.min(state.replies, state.control.length);
  while (piece.size < CHUNK - SMALLEST && state.control.length === 0) {
    const stream = nextReady(state);
    if (!stream || !takeTurn(state, stream, piece, taken)) break;
  }
  if (piece.size > SHORT) return piece.bytes.subarray(0, piece.size);
  const short = piece.bytes.slice(0, piece.size);
  giveBack(piece.bytes);
  return short;
}

/** Pieces that were sent, to be filled again: neither cleared by the platform nor collected. */
const spare: Uint8Array[] = [];

/** Returns an unused piece to the pool. After a failure it is not known if it is still used. */
function giveBack({ buffer }: Uint8Array): void {
  if (buffer.byteLength === CHUNK && spare.length < SPARE) spare.push(new Uint8Array(buffer));
}

function fits({ size }: Piece, bytes: Uint8Array): boolean {
  return size + bytes.length <= CHUNK;
}

function append(piece: Piece, bytes: Uint8Array): void {
  piece.bytes.set(bytes, piece.size);
  piece.size += bytes.length;
}

/**
 * The first stream that may send now. One that has nothing to send, or waits for its window, leaves
 * the list; one that waits for the connection's window is put aside until that opens.
 */
function nextReady(state: ConnectionState): StreamState | undefined {
  if (state.sendWindow > 0) {
    for (const stream of state.stalled) {
      state.stalled.delete(stream);
      state.ready.add(stream);
      const [next] = stream.queue;
      if (next && ("frames" in next || stream.sendWindow > 0)) return stream;
    }
  }
  for (const stream of state.ready) {
    const [next] = stream.queue;
    if (next && "frames" in next) return stream;
    if (next && stream.sendWindow > 0) {
      if (state.sendWindow > 0) return stream;
      state.stalled.add(stream);
    }
    state.ready.delete(stream);
  }
  return undefined;
}

/**
 * Sends a frame, or a few, of one stream; then it is the next one's turn. False when there is no
 * room for them: header frames go together, in the next piece.
 */
function takeTurn(
  state: ConnectionState,
  stream: StreamState,
  piece: Piece,
  taken: (() => void)[],
): boolean {
  const next = stream.queue[0]!;
  if ("frames" in next) {
    const size = next.frames.reduce((sum, bytes) => sum + bytes.length, RESET);
    if (piece.size > 0 && piece.size + size > CHUNK) return false;
    if (size > CHUNK) piece.bytes = new Uint8Array(size);
    stream.queue.shift();
    for (const bytes of next.frames) append(piece, bytes);
    if (next.end) end(state, stream, piece);
  } else {
    takeContent(state, stream, piece, next);
    if (next.part === next.parts.length) {
      stream.queue.shift();
      taken.push(next.taken);
    }
  }
  if (state.ready.delete(stream)) state.ready.add(stream);
  return true;
}

/** Moves content into the piece, as a DATA frame: as much as windows and room allow. */
function takeContent(
  state: ConnectionState,
  stream: StreamState,
  piece: Piece,
  next: Extract<Outgoing, { taken: () => void }>,
): void {
  const head = piece.size;
  const from = head + HEAD;
  const limit = Math.min(state.peerMaxFrame, state.sendWindow, stream.sendWindow, CHUNK - from);
  piece.size = from;
  while (next.part < next.parts.length) {
    const part = next.parts[next.part]!;
    const left = from + limit - piece.size;
    if (part.length - next.at > left) {
      append(piece, part.subarray(next.at, next.at + left));
      next.at += left;
      break;
    }
    append(piece, next.at === 0 ? part : part.subarray(next.at));
    next.part++;
    next.at = 0;
  }
  const size = piece.size - from;
  writeHead(piece.bytes, head, { size, type: FRAME.DATA, flags: 0, stream: stream.id });
  state.sendWindow -= size;
  stream.sendWindow -= size;
}

/** Our side of the stream is over. A server does not wait for the end of the client's side. */
function end(state: ConnectionState, stream: StreamState, piece: Piece): void {
  stream.localSent = true;
  if (stream.remoteEnded) return removeStream(state, stream, "peer");
  if (state.options.role === "client") return;
  append(piece, resetFrame(stream.id, "NO_ERROR"));
  removeStream(state, stream, "own");
}
