import assert from "node:assert/strict";
import fc from "fast-check";
import { FLAG, FRAME, frame, goAwayFrame, PREFACE, settingsFrame } from "../h2/frame.ts";
import { goAwayFilter } from "./front.ts";

function joined(parts: readonly Uint8Array[]): number[] {
  return parts.flatMap((part) => [...part]);
}

Deno.test("GOAWAY frames are taken out, wherever the bytes are cut, and all else passes", () => {
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
    const pass = goAwayFilter();
    const got: number[] = [];
    let at = 0;
    for (const size of [...cuts, all.length]) {
      got.push(...joined(pass(all.subarray(at, at + size))));
      at += size;
    }
    assert.deepEqual(got, expected);
  }));
});
