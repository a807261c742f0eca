import assert from "node:assert/strict";
import { healthRequest, servingStatus } from "./health.ts";

Deno.test("a health request has the service's name", () => {
  assert.deepEqual([...healthRequest("")], []);
  assert.deepEqual([...healthRequest("ab")], [10, 2, 97, 98]);
  assert.deepEqual([...healthRequest("x".repeat(200))].slice(0, 4), [10, 200, 1, 120]);
});

Deno.test("a health response has a status, beside unknown fields", () => {
  assert.equal(servingStatus(new Uint8Array()), "UNKNOWN");
  assert.equal(servingStatus(new Uint8Array([8, 1])), "SERVING");
  assert.equal(servingStatus(new Uint8Array([18, 2, 1, 1, 8, 2, 21, 0, 0, 0, 0])), "NOT_SERVING");
  assert.equal(servingStatus(new Uint8Array([8, 9])), "9");
});

Deno.test("a response that is no protobuf message is an error", () => {
  for (const bytes of [[8], [8, 255], [18, 5, 1], [9, 0], [11], Array(20).fill(255)]) {
    assert.throws(() => servingStatus(new Uint8Array(bytes)), RangeError, String(bytes));
  }
});
