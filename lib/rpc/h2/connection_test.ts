import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createConnection } from "./connection.ts";
import { FLAG, FRAME, frame, headerFrames, MAX_FRAME, PREFACE, settingsFrame } from "./frame.ts";
import { encodeHeaders } from "./hpack.ts";
import type { SocketLike } from "./state.ts";

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

Deno.test("what comes while others are read from waits, in order, and no more is read meanwhile", async () => {
  const wire = socket();
  let busy: PromiseWithResolvers<void> | undefined;
  const heard: string[] = [];
  createConnection({
    role: "server",
    socket: wire,
    maxStreams: 1,
    window: 1000,
    yielding: () => busy?.promise,
    accept: () => ({
      headers() {},
      data: (bytes) => void heard.push(new TextDecoder().decode(bytes)),
      aborted: () => void heard.push("aborted"),
    }),
    closed() {},
  });
  const text = (text: string) => frame(FRAME.DATA, 0, 1, new TextEncoder().encode(text));
  const block = encodeHeaders([[":method", "POST"], [":path", "/"], [":scheme", "http"]]);
  const headers = headerFrames(1, block, false, MAX_FRAME);
  wire.say(PREFACE, settingsFrame([]), ...[headers].flat(), text("a"));
  assert.deepEqual(heard, ["a"]);
  busy = Promise.withResolvers();
  wire.say(text("b"));
  assert.deepEqual([heard, wire.paused], [["a"], true]);
  // What the system had read already when it was told to stop.
  wire.say(text("c"));
  const { resolve } = busy;
  busy = undefined;
  // Asked for again, there is time: this is not read before what waits.
  wire.say(text("d"));
  assert.deepEqual(heard, ["a"]);
  resolve();
  while (wire.paused) await Promise.resolve();
  assert.deepEqual(heard, ["a", "b", "c", "d"]);
  wire.say(text("e"), frame(FRAME.DATA, FLAG.END_STREAM, 1, new Uint8Array(0)));
  assert.deepEqual(heard.slice(4), ["e", ""]);
  wire.close();
});
