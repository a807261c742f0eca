import assert from "node:assert/strict";
import { clientLabels } from "./client_labels.ts";

Deno.test("labels of clients are shortened, bounded in number, and given up with the last client", () => {
  const labels = clientLabels({ most: 2, length: 4 });
  assert.equal(labels.take("abcdefg"), "abcd");
  assert.equal(labels.take("a\n"), "a\\n");
  assert.equal(labels.take("x"), "other");
  assert.equal(labels.take("y"), "other");
  assert.equal(labels.take("abcd!"), "abcd");
  assert.equal(labels.release("abcd"), false);
  assert.equal(labels.release("abcd"), true);
  assert.equal(labels.release("other"), false);
  assert.equal(labels.take("z"), "z", "there is room again");
  assert.equal(labels.release("other"), true);
});
