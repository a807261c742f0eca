import assert from "node:assert/strict";
import { isInstalled } from "../support/installed.ts";

Deno.test("a program on the PATH is installed, whatever its status; another one is not", () => {
  assert.deepEqual(
    [isInstalled(Deno.execPath()), isInstalled(Deno.execPath(), ["--no-such-flag"])],
    [true, true],
  );
  assert.equal(isInstalled("mesh-program-that-nobody-has"), false);
});
