import assert from "node:assert/strict";
import { precedes } from "./election.ts";

Deno.test("daemons of the default revision take a lease from those of other revisions", () => {
  assert.equal(precedes("blue", "green", "blue"), true);
  assert.equal(precedes("blue", "blue", "blue"), false, "replicas do not take from each other");
  assert.equal(precedes("green", "blue", "blue"), false);
  assert.equal(precedes("green", "red", "blue"), false);
});
