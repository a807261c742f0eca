import assert from "node:assert/strict";
import { FLAG, FRAME, frame, headerFrames } from "../h2/frame.ts";
import { encodeHeaders } from "../h2/hpack.ts";
import { HeaderLimits } from "./header_limits.ts";
import { frameInspector } from "./inspect.ts";

/** Bytes that pass the header check when a client's bytes come in pieces of this size. */
function passed(bytes: readonly Uint8Array[], size: number): number {
  const limits = new HeaderLimits(() => {});
  const inspector = frameInspector({ preface: false }, (head) => {
    limits.begin(head);
    return true;
  });
  let count = 0;
  for (const whole of bytes) {
    for (let at = 0; at < whole.length; at += size) {
      inspector.push(whole.slice(at, at + size));
      for (let piece; (piece = inspector.next());) {
        for (const part of limits.pass(piece)) count += part.length;
      }
    }
  }
  return count;
}

const lengthOf = (frames: readonly Uint8Array[]) =>
  frames.reduce((sum, one) => sum + one.length, 0);

Deno.test("header blocks are passed on when they are complete", () => {
  const block = encodeHeaders([[":method", "POST"], ["x", "y".repeat(500)]]);
  const frames = headerFrames(1, block, { end: false, maxFrame: 100 });
  const ping = frame(FRAME.PING, 0, 0, new Uint8Array(8));
  for (const size of [1, 7, 1000]) {
    assert.equal(passed([...frames, ping], size), lengthOf([...frames, ping]));
    assert.equal(passed(frames.slice(0, -1), size), 0);
  }
});

Deno.test("a short block that is a large list is refused, as is a frame inside of a block", () => {
  const large = Uint8Array.of(0x40, 1, 0x78, 127, 0xa1, 0x1e, ...new Uint8Array(4000).fill(0x79));
  const references = new Uint8Array(100).fill(0x80 | 62);
  const bomb = Uint8Array.of(...large, ...references);
  assert.throws(
    () => passed(headerFrames(1, bomb, { end: false, maxFrame: 16_384 }), 1000),
    /header-list/,
  );
  const open = frame(FRAME.HEADERS, 0, 1, encodeHeaders([["x", "y"]]));
  assert.throws(() => passed([open, frame(FRAME.DATA, FLAG.END_STREAM, 1)], 1000), /protocol/);
});
