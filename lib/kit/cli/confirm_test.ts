import assert from "node:assert/strict";
import { confirm } from "./confirm.ts";

Deno.test("only y and yes confirm; the question is on standard error", async () => {
  const asked = async (answer: string | undefined) => {
    let err = "";
    const io = {
      out: () => {},
      err: (text: string) => void (err += text),
      line: () => Promise.resolve(answer),
    };
    return [await confirm(io, "Proceed?"), err];
  };
  for (const yes of ["y", " Yes\r", "YES"]) {
    assert.deepEqual(await asked(yes), [true, "Proceed? (y/N) "]);
  }
  for (const no of ["", "n", "yess", "no"]) assert.equal((await asked(no))[0], false);
  assert.deepEqual(await asked(undefined), [false, "Proceed? (y/N) \n"]);
  assert.equal(await confirm({ out: () => {}, err: () => {} }, "Proceed?"), false);
});
