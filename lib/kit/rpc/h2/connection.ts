/**
 * One HTTP/2 connection, of either side. The content of its streams is read and written by the code
 * that opens or accepts them.
 *
 * @module
 */
import { closedStreams } from "./closed.ts";
import {
  DEFAULT_WINDOW,
  MAX_FRAME,
  PREFACE,
  SETTING,
  settingsFrame,
  windowFrame,
} from "./frame.ts";
import { hpackDecoder } from "./hpack.ts";
import type { Headers } from "./hpack.ts";
import { readInput } from "./input.ts";
import { startTimers } from "./keepalive.ts";
import { MAX_FIELDS, MAX_HEADER_LIST } from "./limits.ts";
import { retire } from "./retire.ts";
import { type ConnectionState, control, finish, newStream } from "./state.ts";
import { streamOf } from "./stream.ts";
import { transmit } from "./transmit.ts";
import type { Connection, ConnectionOptions, H2Stream, StreamListener } from "./types.ts";

/** Begins a connection over a socket that is connected or connecting. */
export function createConnection(options: ConnectionOptions): Connection {
  const { role, socket, window } = options;
  const state = newState(options);
  if (role === "client") control(state, PREFACE);
  control(state, greeting(options));
  if (window > DEFAULT_WINDOW) control(state, windowFrame(0, window - DEFAULT_WINDOW));
  socket.on("error", (error) => finish(state, error));
  socket.on("close", () => {
    finish(state, undefined);
    clearTimeout(state.timer);
    options.closed(state.error);
  });
  readInput(state);
  startTimers(state);
  transmit(state);
  return {
    open: (headers, listener) => open(state, headers, listener),
    retire: () => retire(state),
    destroy: () => finish(state, undefined),
    get streams() {
      return state.streams.size;
    },
    get held() {
      return state.held;
    },
  };
}

function newState(options: ConnectionOptions): ConnectionState {
  return {
    options,
    streams: new Map(),
    closedStreams: closedStreams(),
    decoder: hpackDecoder({ size: MAX_HEADER_LIST, fields: MAX_FIELDS }),
    peerWindow: DEFAULT_WINDOW,
    peerMaxFrame: MAX_FRAME,
    peerMaxStreams: Infinity,
    sendWindow: DEFAULT_WINDOW,
    receiveWindow: options.window,
    control: [],
    replies: 0,
    ready: new Set(),
    stalled: new Set(),
    unsent: 0,
    block: undefined,
    lastPeer: 0,
    nextOwn: 1,
    admitted: 0,
    held: 0,
    spent: { since: 0, nuisance: 0, headers: 0 },
    settled: false,
    announced: false,
    retiring: false,
    over: false,
    error: undefined,
    lastHeard: performance.now(),
    timer: undefined,
    goAwayTimer: undefined,
  };
}

/** The SETTINGS of this side. */
function greeting({ role, maxStreams, window }: ConnectionOptions): Uint8Array {
  return settingsFrame([
    ...(role === "client"
      ? [[SETTING.ENABLE_PUSH, 0]] as const
      : [[SETTING.MAX_CONCURRENT_STREAMS, maxStreams]] as const),
    [SETTING.INITIAL_WINDOW_SIZE, window],
    [SETTING.MAX_HEADER_LIST_SIZE, MAX_HEADER_LIST],
  ]);
}

function open(state: ConnectionState, headers: Headers, listener: StreamListener): H2Stream {
  const stream = newStream(state, state.nextOwn, listener);
  const handle = streamOf(state, stream);
  if (state.streams.size > state.peerMaxStreams || state.retiring) {
    state.streams.delete(stream.id);
    queueMicrotask(() => listener.aborted("REFUSED_STREAM"));
    return handle;
  }
  state.nextOwn += 2;
  handle.headers(headers, false);
  return handle;
}
