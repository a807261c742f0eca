import assert from "node:assert/strict";
import { freePort } from "./ports.ts";

Deno.test("the blocks of ports are reserved for all users of the machine", () => {
  const port = freePort();
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/mesh-ports`;
  assert.equal(Deno.statSync(folder).mode! & 0o777, 0o777);
  const block = Math.floor((port - 12_000) / 100);
  assert.equal(Deno.readTextFileSync(`${folder}/${block}`), `${Deno.pid}`);
});
