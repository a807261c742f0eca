/**
 * One HTTP/2 connection, of either side: its streams, its windows, its keepalive, its limits. What
 * the streams carry is the business of who opens or accepts them.
 *
 * @module
 */
import { H2Error } from "./error.ts";
import {
  DEFAULT_WINDOW,
  FLAG,
  FRAME,
  type Frame,
  frame,
  frameReader,
  goAwayFrame,
  headerFrames,
  MAX_FRAME,
  PREFACE,
  resetFrame,
  SETTING,
  settingsFrame,
  windowFrame,
} from "./frame.ts";
import { encodeHeaders, type Headers, hpackDecoder } from "./hpack.ts";
import { receive } from "./receive.ts";
import {
  closeIfDone,
  type Connection,
  type ConnectionOptions,
  type ConnectionState,
  control,
  finish,
  type H2Stream,
  newStream,
  removeStream,
  type SocketLike,
  type StreamListener,
  type StreamState,
} from "./state.ts";
import { transmit } from "./transmit.ts";

/** Decoded size of a header block, bytes. */
const MAX_HEADERS = 16 * 1024;
/** Time in which a peer has to say what it is, milliseconds. */
const GREETING_MS = 10_000;

/** Begins a connection over a socket that is connected or connecting. */
export function createConnection(options: ConnectionOptions): Connection {
  const { role, socket, window } = options;
  const state: ConnectionState = {
    options,
    streams: new Map(),
    decoder: hpackDecoder(MAX_HEADERS),
    peerWindow: DEFAULT_WINDOW,
    peerMaxFrame: MAX_FRAME,
    sendWindow: DEFAULT_WINDOW,
    receiveWindow: window,
    control: [],
    ready: new Set(),
    unsent: 0,
    block: undefined,
    lastPeer: 0,
    nextOwn: 1,
    held: 0,
    nuisance: 0,
    nuisanceSince: 0,
    settled: false,
    retiring: false,
    over: false,
    error: undefined,
    lastHeard: performance.now(),
    timer: undefined,
  };
  if (role === "client") control(state, PREFACE);
  control(state, greeting(options));
  if (window > DEFAULT_WINDOW) control(state, windowFrame(0, window - DEFAULT_WINDOW));
  listen(state, socket);
  transmit(state);
  return {
    open: (headers, listener) => open(state, headers, listener),
    retire: () => retire(state),
    destroy: () => finish(state, undefined),
    get streams() {
      return state.streams.size;
    },
  };
}

function greeting({ role, maxStreams, window }: ConnectionOptions): Uint8Array {
  return settingsFrame([
    ...(role === "client"
      ? [[SETTING.ENABLE_PUSH, 0]] as const
      : [[SETTING.MAX_CONCURRENT_STREAMS, maxStreams]] as const),
    [SETTING.INITIAL_WINDOW_SIZE, window],
    [SETTING.MAX_HEADER_LIST_SIZE, MAX_HEADERS],
  ]);
}

function listen(state: ConnectionState, socket: SocketLike): void {
  const reader = frameReader(state.options.role === "server");
  socket.on("error", (error) => finish(state, error));
  socket.on("close", () => {
    finish(state, undefined);
    clearTimeout(state.timer);
    state.options.closed(state.error);
  });
  const { yielding } = state.options;
  const read = (bytes: Uint8Array) => {
    if (state.over) return;
    try {
      reader.push(bytes, (frame) => handle(state, frame));
      transmit(state);
    } catch (error) {
      breakOff(state, error as Error);
    }
  };
  /** What came while others were read from. */
  let late: Uint8Array[] | undefined;
  const readLater = async (wait: Promise<void>, bytes: Uint8Array) => {
    late = [bytes];
    socket.pause();
    for (let next: Promise<void> | undefined = wait; next; next = yielding?.()) await next;
    const all = late;
    late = undefined;
    for (const one of all) read(one);
    socket.resume();
  };
  socket.on("data", (bytes) => {
    state.lastHeard = performance.now();
    if (late) return void late.push(bytes);
    const wait = yielding?.();
    if (wait) void readLater(wait, bytes);
    else read(bytes);
  });
  state.timer = setTimeout(() => {
    if (!state.settled) finish(state, new Error("the peer did not speak HTTP/2 in time"));
    else watchOver(state);
  }, GREETING_MS);
}

function handle(state: ConnectionState, frame: Frame): void {
  if (state.over) return;
  if (!state.settled) {
    if (frame.type !== FRAME.SETTINGS || frame.flags & FLAG.ACK) {
      throw new H2Error("PROTOCOL_ERROR", "the first frame must be SETTINGS");
    }
    state.settled = true;
  }
  receive(state, frame, streamOf);
}

/** Pings a silent peer, and gives up one that does not answer. */
function watchOver(state: ConnectionState): void {
  const { keepalive } = state.options;
  if (!keepalive || state.over) return;
  const wait = state.lastHeard + keepalive.interval - performance.now();
  if (wait > 0) {
    state.timer = setTimeout(() => watchOver(state), wait);
    return;
  }
  const asked = performance.now();
  control(state, frame(FRAME.PING, 0, 0, new Uint8Array(8)));
  transmit(state);
  state.timer = setTimeout(() => {
    if (state.lastHeard < asked) finish(state, new Error("the peer does not answer"));
    else watchOver(state);
  }, keepalive.timeout);
}

/** The peer broke the protocol or asks for too much; or we failed, which ends this connection only. */
function breakOff(state: ConnectionState, error: Error): void {
  if (state.over) return;
  const code = error instanceof H2Error ? error.code : "INTERNAL_ERROR";
  state.options.socket.write(goAwayFrame(state.lastPeer, code), () => {});
  finish(state, error, true);
}

function open(state: ConnectionState, headers: Headers, listener: StreamListener): H2Stream {
  const stream = newStream(state, state.nextOwn, listener);
  state.nextOwn += 2;
  const handle = streamOf(state, stream);
  handle.headers(headers, false);
  return handle;
}

/** The handle of a stream. */
export function streamOf(state: ConnectionState, stream: StreamState): H2Stream {
  const alive = () => state.streams.get(stream.id) === stream;
  return {
    id: stream.id,
    headers(headers, end) {
      if (!alive() || stream.localEnded) return;
      const block = encodeHeaders(headers);
      const frames = headerFrames(stream.id, block, end, state.peerMaxFrame);
      if (end) stream.localEnded = true;
      if (stream.queue.length === 0 && !end) frames.forEach((bytes) => control(state, bytes));
      else stream.queue.push({ frames, end });
      state.ready.add(stream);
      transmit(state);
    },
    data(parts, taken) {
      if (!alive() || stream.localEnded) return;
      stream.queue.push({ parts, part: 0, at: 0, taken });
      state.ready.add(stream);
      transmit(state);
    },
    end() {
      if (!alive() || stream.localEnded) return;
      stream.localEnded = true;
      stream.queue.push({ frames: [frame(FRAME.DATA, FLAG.END_STREAM, stream.id)], end: true });
      state.ready.add(stream);
      transmit(state);
    },
    credit(bytes) {
      if (!alive() || stream.remoteEnded) return;
      stream.credit += bytes;
      if (stream.credit < state.options.window / 4) return;
      control(state, windowFrame(stream.id, stream.credit));
      stream.receiveWindow += stream.credit;
      stream.credit = 0;
      transmit(state);
    },
    hold(bytes) {
      if (!alive()) return;
      stream.held += bytes;
      state.held += bytes;
    },
    reset(code) {
      if (!alive()) return;
      control(state, resetFrame(stream.id, code));
      removeStream(state, stream);
      transmit(state);
    },
  };
}

function retire(state: ConnectionState): void {
  if (state.retiring || state.over) return;
  state.retiring = true;
  control(state, goAwayFrame(state.lastPeer, "NO_ERROR"));
  transmit(state);
  closeIfDone(state);
}
