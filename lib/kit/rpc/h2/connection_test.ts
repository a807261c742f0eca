import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createConnection } from "./connection.ts";
import { FLAG, FRAME, frame, headerFrames, PREFACE, settingsFrame } from "./frame.ts";
import { encodeHeaders } from "./hpack.ts";
import type { SocketLike } from "./types.ts";
import type { Task } from "../turns.ts";

/** A socket whose other end is the test. */
function socket(): SocketLike & {
  say(...bytes: Uint8Array[]): void;
  close(): void;
  paused: boolean;
} {
  const listeners = new Map<string, (value: never) => void>();
  return {
    destroyed: false,
    paused: false,
    write: () => true,
    end() {},
    destroy() {},
    pause() {
      this.paused = true;
    },
    resume() {
      this.paused = false;
    },
    on: (event: string, listener: (value: never) => void) => listeners.set(event, listener),
    say(...bytes) {
      for (const one of bytes) listeners.get("data")?.(Buffer.from(one) as never);
    },
    close: () => listeners.get("close")?.(undefined as never),
  };
}

/** A server's connection whose input is read when the test says so. */
function openServer(wire: SocketLike): { heard: string[]; tasks: Task[]; ends: string[] } {
  const heard: string[] = [];
  const tasks: Task[] = [];
  const ends: string[] = [];
  createConnection({
    role: "server",
    socket: wire,
    maxStreams: 1,
    window: 1000,
    turns: { add: (task) => void tasks.push(task) },
    accept: () => ({
      headers() {},
      data: (bytes) => void heard.push(new TextDecoder().decode(bytes)),
      aborted: () => void heard.push("aborted"),
    }),
    closed: (error) => void ends.push(error?.message ?? "no error"),
  });
  return { heard, tasks, ends };
}

Deno.test("input waits for its turn, in order, and the socket is paused meanwhile", () => {
  const wire = socket();
  const { heard, tasks } = openServer(wire);
  const text = (text: string) => frame(FRAME.DATA, 0, 1, new TextEncoder().encode(text));
  const block = encodeHeaders([[":method", "POST"], [":path", "/"], [":scheme", "http"]]);
  wire.say(PREFACE, settingsFrame([]), ...headerFrames(1, block, { end: false }), text("a"));
  assert.equal(tasks.length, 1, "one task, however many pieces came");
  assert.deepEqual([heard, wire.paused], [[], true]);
  assert.equal(tasks[0]!.run(() => false), false);
  assert.deepEqual([heard, wire.paused], [["a"], false]);

  wire.say(text("b"), text("c"), text("d"));
  assert.equal(tasks.length, 2, "the task is added again");
  let frames = 0;
  assert.equal(tasks[1]!.run(() => ++frames === 2), true, "there is more");
  assert.deepEqual([heard, wire.paused], [["a", "b", "c"], true]);
  // Bytes that the system had read before it was stopped follow.
  wire.say(text("e"), frame(FRAME.DATA, FLAG.END_STREAM, 1, new Uint8Array(0)));
  assert.equal(tasks.length, 2);
  assert.equal(tasks[1]!.run(() => false), false);
  assert.deepEqual([heard, wire.paused], [["a", "b", "c", "d", "e", ""], false]);
  wire.close();
});

Deno.test("a socket that was paused is resumed when the last frame used up the turn", () => {
  const wire = socket();
  const { tasks } = openServer(wire);
  wire.say(PREFACE, settingsFrame([]));
  assert.equal(tasks[0]!.run(() => true), true);
  assert.equal(wire.paused, true);
  assert.equal(tasks[0]!.run(() => true), false);
  assert.equal(wire.paused, false);
  wire.close();
});

Deno.test("replies that the peer does not read are bounded", () => {
  const requests = Array.from({ length: 1100 }, (_, i) => {
    const block = encodeHeaders([[":method", "POST"], [":path", "/"], [":scheme", "http"]]);
    return headerFrames(2 * i + 1, block, { end: false });
  });
  const floods: Uint8Array[][] = [
    Array(1100).fill(frame(FRAME.PING, 0, 0, new Uint8Array(8))),
    Array(1100).fill(settingsFrame([])),
    // All but the first one are refused.
    requests.flat(),
  ];
  for (const flood of floods) {
    const wire = socket();
    const { tasks, ends } = openServer(wire);
    wire.say(PREFACE, settingsFrame([]), ...flood);
    tasks[0]!.run(() => false);
    wire.close();
    assert.deepEqual(ends, ["too many replies wait to be read"]);
  }
});

Deno.test("the first headers of a stream go with its first content, in one write", () => {
  const writes: Uint8Array[] = [];
  const wire = {
    ...socket(),
    write: (bytes: Uint8Array, done: (error?: Error) => void) => {
      writes.push(bytes.slice());
      queueMicrotask(() => done());
      return true;
    },
  };
  createConnection({
    role: "server",
    socket: wire,
    maxStreams: 1,
    window: 1000,
    accept: (stream) => {
      writes.length = 0;
      stream.begin([[":status", "200"]]);
      assert.equal(writes.length, 0);
      stream.data([new TextEncoder().encode("content")], () => {});
      return { headers() {}, data() {}, aborted() {} };
    },
    closed() {},
  });
  const request = headerFrames(
    1,
    encodeHeaders([[":method", "POST"], [":scheme", "http"], [":path", "/"]]),
    { end: false },
  );
  wire.say(PREFACE, settingsFrame([]), ...request);
  assert(writes.some((bytes) => containsHeadersAndData(bytes)));
  wire.close();
});

/** Reports if a written piece has frames of both types. */
function containsHeadersAndData(bytes: Uint8Array): boolean {
  const types = new Set<number>();
  for (let at = 0; at + 9 <= bytes.length;) {
    types.add(bytes[at + 3]!);
    at += 9 + bytes[at]! * 65_536 + bytes[at + 1]! * 256 + bytes[at + 2]!;
  }
  return types.has(FRAME.HEADERS) && types.has(FRAME.DATA);
}
