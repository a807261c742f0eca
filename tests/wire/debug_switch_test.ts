/**
 * The variable that switches the debug pages off.
 *
 * @module
 */
import assert from "node:assert/strict";
import { makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";

Deno.test("ENABLE_DEBUG_ON_HTTP=false takes the debug pages away, and nothing else", async () => {
  await using config = await makeConfigDir();
  await using daemon = await startDaemon({
    configDir: config.path,
    env: { ENABLE_DEBUG_ON_HTTP: "false" },
  });
  const statusOf = async (url: string): Promise<number> => {
    const answer = await fetch(url);
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await statusOf(`${daemon.http}/debug/syncz`), 404);
  assert.equal(await statusOf(`${daemon.monitoring}/debug/syncz`), 404);
  assert.equal(await statusOf(`${daemon.monitoring}/metrics`), 200);
  assert.equal(await statusOf(`${daemon.http}/ready`), 200);
});
