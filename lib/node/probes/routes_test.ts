import assert from "node:assert/strict";
import { startWeb } from "../../kit/web/mod.ts";
import { parseProbes } from "./probe_table.ts";
import { probeRoutes } from "./routes.ts";
import type { ProbeOutcome } from "./call_application.ts";

Deno.test("the status server answers with the outcome of the mapped probe", async () => {
  let status = 503;
  let own = "tcp";
  const run = (): Promise<ProbeOutcome> => {
    const body = new TextEncoder().encode(own);
    return Promise.resolve({ status, body, fault: undefined });
  };
  const table = parseProbes('{"/app-health/web/readyz":{"tcpSocket":{"port":1}}}');
  const web = await startWeb({
    name: "status",
    address: "127.0.0.1:0",
    routes: probeRoutes(table, { run, close: () => {} }),
  });
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${web.address.port}${path}`);
    return [response.status, await response.text()];
  };
  assert.deepEqual(await get("/app-health/web/readyz"), [503, "tcp"]);
  status = 204;
  own = "";
  assert.deepEqual(await get("/app-health/web/readyz"), [204, ""]);
  assert.deepEqual(await get("/app-health/web/livez"), [
    400,
    "app prober config does not exists for /app-health/web/livez\n",
  ]);
  assert.equal((await get("/app-lifecycle/other/prestopz"))[0], 400);
  assert.equal((await get("/app-lifecycle/other/more"))[0], 404);
  await web.stop(0);
});
