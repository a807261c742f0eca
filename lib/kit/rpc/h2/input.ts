/**
 * Reads a connection's socket: cuts the bytes into frames, handles them in turns with other
 * connections, and ends streams or the connection on errors.
 *
 * @module
 */
import { freeBuffer } from "../../base/mod.ts";
import type { Task } from "../turns.ts";
import { H2Error, H2StreamError, protocolError } from "./error.ts";
import { FLAG, FRAME, type Frame, goAwayFrame, resetFrame } from "./frame.ts";
import { nuisance, reply } from "./limits.ts";
import { frameReader } from "./reader.ts";
import { receive } from "./receive.ts";
import { type ConnectionState, finish, hold, isIdle, removeStream } from "./state.ts";
import { transmit } from "./transmit.ts";

/** Begins to read. While input waits for its turn, the socket is paused. */
export function readInput(state: ConnectionState): void {
  const { role, socket, turns, observer } = state.options;
  const reader = frameReader(role === "server", freeBuffer);
  let waiting = false;
  /** Bytes that wait, as they are counted; `undefined` while the socket is not paused. */
  let paused: number | undefined;
  const done = () => {
    waiting = false;
    if (paused === undefined) return;
    hold(state, -paused);
    paused = undefined;
    socket.resume();
  };
  const run = (expired: () => boolean): boolean => {
    try {
      for (let frame; !state.over && (frame = reader.next());) {
        handle(state, frame);
        if (!expired()) continue;
        transmit(state);
        return true;
      }
      transmit(state);
    } catch (error) {
      breakOff(state, error as Error);
    }
    // What a peer goes on sending until it notices the end is not kept for the garbage collector.
    if (state.over) reader.discard();
    done();
    return false;
  };
  const task: Task = {
    get party() {
      return observer?.party ?? state;
    },
    run,
  };
  socket.on("data", (bytes) => {
    state.lastHeard = performance.now();
    if (state.over) return freeBuffer(bytes);
    reader.push(bytes);
    if (waiting) return;
    if (!turns) return void run(() => false);
    waiting = true;
    turns.add(task);
    if (!waiting || state.over) return;
    paused = reader.buffered;
    socket.pause();
    hold(state, paused);
  });
}

function handle(state: ConnectionState, frame: Frame): void {
  if (!state.settled) {
    if (frame.type !== FRAME.SETTINGS || frame.flags & FLAG.ACK) {
      throw protocolError("the first frame is not SETTINGS");
    }
    state.settled = true;
  }
  try {
    receive(state, frame);
  } catch (error) {
    if (!(error instanceof H2StreamError)) throw error;
    endStream(state, error);
  }
}

/** Resets the stream of an error. The reset of a stream that is idle would itself break the protocol. */
function endStream(state: ConnectionState, error: H2StreamError): void {
  const { stream: id, code, message, refusal } = error;
  if (isIdle(state, id)) throw new H2Error(code, message, refusal);
  state.options.observer?.refused(refusal);
  nuisance(state);
  reply(state, resetFrame(id, code));
  const stream = state.streams.get(id);
  if (stream) removeStream(state, stream, "own");
  else state.closedStreams.add(id, "own");
  stream?.listener?.aborted(code, error);
}

/** Ends the connection on an error of the peer, or on one of ours, which is logged by its owner. */
function breakOff(state: ConnectionState, error: Error): void {
  if (state.over) return;
  const code = error instanceof H2Error ? error.code : "INTERNAL_ERROR";
  if (error instanceof H2Error) state.options.observer?.refused(error.refusal);
  state.options.socket.write(goAwayFrame(state.lastPeer, code), () => {});
  finish(state, error, true);
}
