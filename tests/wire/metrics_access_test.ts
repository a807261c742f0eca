/**
 * The variable that closes the metrics to other machines.
 *
 * @module
 */
import assert from "node:assert/strict";
import { freePort, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";

const outer = Deno.networkInterfaces()
  .find(({ family, address }) => family === "IPv4" && !address.startsWith("127."))?.address;

Deno.test({
  name: "METRICS_LOCALHOST_ACCESS_ONLY answers metrics to this machine only" +
    (outer === undefined ? " [needs an address besides loopback]" : ""),
  ignore: outer === undefined,
  fn: async () => {
    await using config = await makeConfigDir();
    for (const [value, status] of [["true", 403], ["false", 200]] as const) {
      const port = freePort();
      await using _daemon = await startDaemon({
        configDir: config.path,
        args: [`--monitoringAddr=:${port}`],
        env: { METRICS_LOCALHOST_ACCESS_ONLY: value },
      });
      const statusOf = async (address: string, path: string): Promise<number> => {
        const answer = await fetch(`http://${address}:${port}/${path}`);
        await answer.body?.cancel();
        return answer.status;
      };
      assert.equal(await statusOf(outer!, "metrics"), status, value);
      assert.equal(await statusOf("127.0.0.1", "metrics"), 200);
      assert.equal(await statusOf(outer!, "version"), 200);
    }
  },
});
