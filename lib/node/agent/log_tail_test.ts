import assert from "node:assert/strict";
import { passOn } from "./log_tail.ts";

const text = (...parts: readonly string[]) => ReadableStream.from(parts.map(bytes));
const bytes = (part: string) => new TextEncoder().encode(part);

Deno.test("a log is passed on unchanged, and its last lines are kept", async () => {
  let passed = "";
  const slow = {
    write(part: Uint8Array) {
      // A write may take a part only.
      const some = part.subarray(0, 3);
      passed += new TextDecoder().decode(some);
      return Promise.resolve(some.length);
    },
  };
  const tail = passOn(text("first li", "ne\nsecond line\n", "no end"), slow);
  assert.deepEqual(await tail.lastLines(), ["first line", "second line", "no end"]);
  assert.equal(passed, "first line\nsecond line\nno end");
});

Deno.test("whole last lines of a long log are kept", async () => {
  const lines = Array.from({ length: 2000 }, (_, i) => `line ${i} ${"x".repeat(i % 500)}`);
  const all = { write: (part: Uint8Array) => Promise.resolve(part.length) };
  const kept = await passOn(text(`${lines.join("\n")}\n`), all).lastLines();
  assert.ok(kept.length > 0 && kept.length <= 12, `${kept.length} lines`);
  assert.deepEqual(kept, lines.slice(-kept.length));
});

Deno.test("a log that cannot be written is read on", async () => {
  const broken = { write: () => Promise.reject(new Deno.errors.BrokenPipe()) };
  const tail = passOn(text("one\n", "two\n"), broken);
  assert.deepEqual(await tail.lastLines(), ["one", "two"]);
});
