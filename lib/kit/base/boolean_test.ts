import assert from "node:assert/strict";
import { parseBoolean } from "./boolean.ts";

Deno.test("booleans: six spellings of each value, and no others", () => {
  for (const text of ["1", "t", "T", "true", "TRUE", "True"]) {
    assert.equal(parseBoolean(text), true);
  }
  for (const text of ["0", "f", "F", "false", "FALSE", "False"]) {
    assert.equal(parseBoolean(text), false);
  }
  for (const text of ["", "yes", "no", "tRUE", " true", "2"]) {
    assert.equal(parseBoolean(text), undefined, text);
  }
});
