import assert from "node:assert/strict";
import fc from "fast-check";
import { FLAG, FRAME, frame, goAwayFrame, PREFACE, settingsFrame } from "../h2/frame.ts";
import { frameInspector } from "./inspect.ts";

function joined(parts: readonly Uint8Array[]): number[] {
  return parts.flatMap((part) => [...part]);
}

Deno.test("frames are left out or passed on whole, wherever the bytes are cut", () => {
  const kept = fc.tuple(fc.constantFrom(FRAME.DATA, FRAME.HEADERS, FRAME.PING), fc.uint8Array())
    .map(([type, payload]) => ({ bytes: frame(type, FLAG.END_STREAM, 1, payload), passes: true }));
  const dropped = fc.nat(2 ** 31 - 1).map((last) => ({
    bytes: goAwayFrame(last, "NO_ERROR"),
    passes: false,
  }));
  const frames = fc.array(fc.oneof(kept, dropped), { maxLength: 20 });
  fc.assert(fc.property(frames, fc.array(fc.nat(40), { maxLength: 60 }), (list, cuts) => {
    const greeting = [PREFACE, settingsFrame([])];
    const all = Uint8Array.from(joined([...greeting, ...list.map(({ bytes }) => bytes)]));
    const expected = joined([
      ...greeting,
      ...list.filter(({ passes }) => passes).map(({ bytes }) => bytes),
    ]);
    let heads = 0;
    const inspector = frameInspector({ preface: true, owns: true }, ({ type }) => {
      heads++;
      return type !== FRAME.GOAWAY;
    });
    const got: number[] = [];
    let at = 0;
    for (const size of [...cuts, all.length]) {
      const chunk = all.slice(at, at + size);
      const length = chunk.length;
      inspector.push(chunk);
      for (let piece; (piece = inspector.next());) got.push(...piece);
      inspector.release();
      // Small chunks are left to the garbage collector.
      assert.equal(chunk.length, length >= 4096 ? 0 : length);
      assert.equal(inspector.buffered, 0);
      at += size;
    }
    assert.deepEqual(got, expected);
    assert.equal(heads, 1 + list.length);
  }));
});
