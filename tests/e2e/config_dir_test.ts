/**
 * The configuration directory, by traffic and messages of the daemon, over both xDS variants.
 *
 * @module
 */
import { freePort, startBackend } from "../../scripts/harness/mod.ts";
import { assertNothingRejected, startWorld } from "../support/world.ts";
import { baseFiles, benchOf, ROUTES, routesTo } from "./config_dir/bench.ts";
import { FILE_CASES } from "./config_dir/file_cases.ts";
import { PROBLEM_CASES } from "./config_dir/problem_cases.ts";

Deno.test("a config directory is followed", async (t) => {
  await using v1 = startBackend("v1");
  await using v2 = startBackend("v2");
  const port = freePort();
  const files = { ...baseFiles(port, v1, v2), [ROUTES]: routesTo("v1") };
  await using world = await startWorld({ files });
  const bench = benchOf(world, port);
  for (const one of [...PROBLEM_CASES, ...FILE_CASES]) {
    await t.step(one.name, async () => {
      await world.config.write(ROUTES, routesTo("v1"));
      await bench.answered("v1");
      await one.run(bench);
    });
  }
  await t.step("no update was refused", () => assertNothingRejected(world));
});
