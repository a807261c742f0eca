import assert from "node:assert/strict";
import fc from "fast-check";
import { frameMessage, messageReader } from "./message.ts";

function whole(parts: readonly Uint8Array[]): number[] {
  return parts.flatMap((part) => [...part]);
}

Deno.test("messages survive being cut anywhere", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 20 })),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (messages, cuts) => {
        const bytes = Uint8Array.from(
          messages.flatMap((message) => whole(frameMessage(message, message.length))),
        );
        const reader = messageReader(20);
        const got: Uint8Array[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = cuts[i % cuts.length]!;
          got.push(...reader.push(bytes.subarray(at, at + size)));
          at += size;
        }
        assert.deepEqual(got, messages);
        assert.equal(reader.partial, 0);
      },
    ),
  );
});

Deno.test("a message in pieces is the pieces behind one head", () => {
  const parts = frameMessage([Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3)], 3);
  assert.deepEqual(whole(parts), [0, 0, 0, 0, 3, 1, 2, 3]);
});

Deno.test("a message that is too large or compressed is refused by its head alone", () => {
  assert.throws(() => messageReader(10).push(Uint8Array.of(0, 0, 0, 0, 11)), {
    status: "RESOURCE_EXHAUSTED",
  });
  assert.throws(() => messageReader(10).push(Uint8Array.of(1, 0, 0, 0, 1)), {
    status: "UNIMPLEMENTED",
  });
});
