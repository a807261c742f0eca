/**
 * Fuzz target: frames of a client, behind its preface and SETTINGS. The connection may refuse them
 * only by errors of the protocol, and its accounts must balance at the end.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createConnection } from "./connection.ts";
import { H2Error } from "./error.ts";
import { PREFACE, settingsFrame } from "./frame.ts";
import type { SocketLike } from "./types.ts";

/** Handles an input as the bytes that a client sends. */
export function fuzz(input: Uint8Array): void {
  const listeners = new Map<string, (value: never) => void>();
  const taken: ((error: Error) => void)[] = [];
  const socket: SocketLike = {
    destroyed: false,
    write: (_, done) => taken.push(done) > 0,
    end() {},
    destroy() {},
    pause() {},
    resume() {},
    on: (event: string, listener: (value: never) => void) => listeners.set(event, listener),
  };
  const account = { admitted: 0, held: 0 };
  let end: Error | undefined;
  const connection = createConnection({
    role: "server",
    socket,
    maxStreams: 10,
    maxUnadmitted: 5,
    window: 65_535,
    observer: {
      party: socket,
      refused() {},
      admitted: (change) => void (account.admitted += change),
      held: (change) => void (account.held += change),
    },
    accept(stream, _, end) {
      stream.admit(stream.id % 3 === 0);
      stream.headers([[":status", "200"]], false);
      if (end) stream.headers([["grpc-status", "0"]], true);
      return {
        headers() {},
        data(bytes, end) {
          stream.credit(bytes.length);
          stream.data([bytes.slice()], () => {});
          if (end) stream.headers([["grpc-status", "0"]], true);
        },
        aborted() {},
      };
    },
    closed: (error) => void (end = error),
  });
  const send = (bytes: Uint8Array) => listeners.get("data")!(Buffer.from(bytes) as never);
  send(PREFACE);
  send(settingsFrame([]));
  // In pieces, as a network may deliver it.
  for (let at = 0, size = 1; at < input.length; at += size, size = size * 2 % 1021) {
    send(input.slice(at, at + size));
    for (const done of taken.splice(0)) done(undefined as never);
  }
  assert.equal(connection.held, account.held);
  assert.ok(account.held >= 0 && account.admitted >= 0, JSON.stringify(account));
  connection.destroy();
  listeners.get("close")!(undefined as never);
  assert.equal(account.admitted, 0);
  assert.ok(end === undefined || end instanceof H2Error, end);
}
