import assert from "node:assert/strict";
import { startWeb } from "../../lib/kit/web/mod.ts";
import { nameTableRoute } from "./dns.ts";

Deno.test("/debug/ndsz has the name table, or 404 with an empty object", async () => {
  let table: string | undefined;
  const web = await startWeb({
    name: "status",
    address: "127.0.0.1:0",
    routes: [nameTableRoute(() => table)],
  });
  try {
    const ask = async () => {
      const answer = await fetch(`http://127.0.0.1:${web.address.port}/debug/ndsz`);
      return [answer.status, await answer.json()];
    };
    assert.deepEqual(await ask(), [404, {}]);
    table = '{"table":{}}';
    assert.deepEqual(await ask(), [200, { table: {} }]);
  } finally {
    await web.stop(0);
  }
});
