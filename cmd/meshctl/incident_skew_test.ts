/** `incident` with a daemon of an older version, whose answer does not name other proxies. */
import assert from "node:assert/strict";
import { runInProcess } from "../../tests/support/program_run.ts";
import { MESHCTL } from "./program.ts";

const OLDER = {
  evidence: { form: "curl", url: "http://items.example/", method: "GET", unknown: [] },
  from: "front.web",
  now: "ALLOWED to items",
  outcome: "allowed",
  agrees: true,
  objects: [],
  undo: [],
  unknown: ["the history"],
};

Deno.test("incident: the answer of an older daemon counts, and what it does not say is said", async () => {
  await using older = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json(OLDER),
  );
  const [out, err, status] = await runInProcess(MESHCTL, [
    ...["incident", "curl http://items.example/", "--from", "front.web"],
    ...["--daemon", `127.0.0.1:${older.addr.port}`],
  ]);
  assert.equal(status, 0, err);
  assert.match(out, /^now +ALLOWED to items$/m);
  assert.match(out, /the history[^]*this daemon is older and does not say so/);
});
