import assert from "node:assert/strict";
import fc from "fast-check";
import { FRAME, frame, PREFACE } from "./frame.ts";
import { frameReader } from "./reader.ts";
import { messageReader } from "../message.ts";

/** Cuts bytes into pieces at some offsets. */
function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const offsets = [0, ...at.map((one) => one % (bytes.length + 1)), bytes.length];
  offsets.sort((a, b) => a - b);
  return offsets.slice(1).map((to, i) => bytes.slice(offsets[i], to));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

Deno.test("frames are the same however the bytes are cut, and need no piece that was released", () => {
  fc.assert(fc.property(
    fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }),
    fc.array(fc.nat(400), { maxLength: 20 }),
    fc.boolean(),
    (payloads, cuts, isServer) => {
      const frames = payloads.map((payload, i) => frame(FRAME.DATA, i % 2, i + 1, payload));
      const bytes = joined(isServer ? [PREFACE, ...frames] : frames);
      const seen: [number, number, number[]][] = [];
      let released = 0;
      const reader = frameReader(isServer, (piece) => {
        released += piece.length;
        piece.fill(0xff);
      });
      for (const piece of cut(bytes, cuts)) {
        reader.push(piece);
        for (let frame; (frame = reader.next());) {
          seen.push([frame.flags, frame.stream, [...frame.payload]]);
        }
      }
      assert.deepEqual(seen, payloads.map((payload, i) => [i % 2, i + 1, [...payload]]));
      assert.equal(released, bytes.length);
    },
  ));
});

Deno.test("messages are the same however the bytes are cut, beyond the room made at first", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 4 }),
      fc.array(fc.nat(300_000), { maxLength: 20 }),
      (sizes, cuts) => {
        const messages = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
        const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + 5 + size, 0));
        let at = 0;
        for (const message of messages) {
          new DataView(bytes.buffer).setUint32(at + 1, message.length);
          bytes.set(message, at + 5);
          at += 5 + message.length;
        }
        const reader = messageReader(100_000);
        const seen = cut(bytes, cuts).flatMap((piece) => reader.push(piece));
        assert.deepEqual(seen.map((one) => one.length), sizes);
        assert.ok(seen.every((one, i) => one.every((byte) => byte === i + 1)));
        assert.equal(reader.partial, 0);
      },
    ),
    { numRuns: 30 },
  );
});
