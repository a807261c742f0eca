/**
 * The variable that bounds the messages of clients.
 *
 * @module
 */
import assert from "node:assert/strict";
import { makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { ask } from "../support/query_client.ts";

Deno.test("MESH_GPRC_MAXRECVMSGSIZE bounds the requests that the daemon takes", async () => {
  await using config = await makeConfigDir();
  const typeUrl = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
  for (const [limit, isTaken] of [["1000", false], ["100000", true]] as const) {
    await using daemon = await startDaemon({
      configDir: config.path,
      env: { MESH_GPRC_MAXRECVMSGSIZE: limit },
    });
    const names = Array.from({ length: 100 }, (_, n) => `cluster-of-a-long-name-${n}`);
    await using asking = ask("sotw", { target: daemon.xds, typeUrl, names });
    const answer = asking.next().then(() => "answered", (error) => error.status);
    assert.equal(await answer, isTaken ? "answered" : "RESOURCE_EXHAUSTED", limit);
  }
});
