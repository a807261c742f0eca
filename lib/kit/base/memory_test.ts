import assert from "node:assert/strict";
import { freeBuffer } from "./memory.ts";

Deno.test("bytes are freed only if they are all of their memory", () => {
  const whole = new Uint8Array(8192);
  const part = whole.subarray(1);
  freeBuffer(part);
  assert.equal(whole.length, 8192);
  freeBuffer(whole);
  assert.equal(whole.length, 0);
  const small = new Uint8Array(16);
  freeBuffer(small);
  assert.equal(small.length, 16);
});
