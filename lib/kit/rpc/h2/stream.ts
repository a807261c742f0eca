/**
 * The sending half of a stream, as its user has it.
 *
 * @module
 */
import { FLAG, FRAME, frame, headerFrames, resetFrame, windowFrame } from "./frame.ts";
import { encodeHeaders, type Headers } from "./hpack.ts";
import { pardon } from "./limits.ts";
import {
  admitStream,
  type ConnectionState,
  control,
  hold,
  type Outgoing,
  removeStream,
  type StreamState,
} from "./state.ts";
import { transmit } from "./transmit.ts";
import type { H2Stream } from "./types.ts";

/** Part of a window that must be credited before an update is sent: fewer and larger updates. */
const CREDIT_PART = 4;

/** Time in which a client has to read the end of a stream, ms. */
const READ_END_MS = 30_000;

/** The handle of a stream. */
export function streamOf(state: ConnectionState, stream: StreamState): H2Stream {
  const isOpen = () => state.streams.get(stream.id) === stream;
  const send = (next: Outgoing) => {
    stream.queue.push(next);
    state.ready.add(stream);
    transmit(state);
  };
  const framesOf = (headers: Headers, end: boolean) =>
    headerFrames(stream.id, encodeHeaders(headers), { end, maxFrame: state.peerMaxFrame });
  return {
    id: stream.id,
    begin(headers) {
      if (!isOpen() || stream.localEnded) return;
      for (const bytes of framesOf(headers, false)) control(state, bytes);
    },
    headers(headers, end) {
      if (!isOpen() || stream.localEnded) return;
      const frames = framesOf(headers, end);
      stream.localEnded = end;
      if (end || stream.queue.length > 0) {
        send({ frames, end });
        if (end && isOpen() && state.options.role === "server") awaitEnd(state, stream);
        return;
      }
      for (const bytes of frames) control(state, bytes);
      transmit(state);
    },
    data(parts, taken) {
      if (!isOpen() || stream.localEnded) return;
      send({ parts, part: 0, at: 0, taken });
    },
    discard() {
      stream.queue.length = 0;
    },
    end() {
      if (!isOpen() || stream.localEnded) return;
      stream.localEnded = true;
      send({ frames: [frame(FRAME.DATA, FLAG.END_STREAM, stream.id)], end: true });
    },
    credit(bytes) {
      if (!isOpen() || stream.remoteEnded) return;
      giveCredit(state, stream, bytes);
      transmit(state);
    },
    hold(bytes) {
      if (!isOpen()) return;
      stream.held += bytes;
      hold(state, bytes);
    },
    admit(isAdmitted) {
      if (!isOpen() || stream.isAdmitted === isAdmitted) return;
      if (isAdmitted) pardon(state);
      admitStream(state, stream, isAdmitted);
    },
    reset(code) {
      if (!isOpen()) return;
      control(state, resetFrame(stream.id, code));
      removeStream(state, stream, "own");
      transmit(state);
    },
  };
}

/** Resets a stream whose end the client does not read: its content stays in memory until then. */
function awaitEnd(state: ConnectionState, stream: StreamState): void {
  stream.endTimer = setTimeout(() => {
    state.options.observer?.refused("unread-end");
    control(state, resetFrame(stream.id, "CANCEL"));
    removeStream(state, stream, "own");
    transmit(state);
  }, READ_END_MS);
}

/** Lets the peer send more on a stream. An update is sent when it is worth a frame. */
export function giveCredit(state: ConnectionState, stream: StreamState, bytes: number): void {
  stream.credit += bytes;
  if (stream.credit < state.options.window / CREDIT_PART) return;
  control(state, windowFrame(stream.id, stream.credit));
  stream.receiveWindow += stream.credit;
  stream.credit = 0;
}
