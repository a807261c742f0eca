/**
 * The conformance suite of the Gateway API against the installed mesh: one of its tests, with the suite's
 * own pods. `deno task conformance:gateway` runs all of them.
 */
import assert from "node:assert/strict";
import { lackingGatewayApiPrograms } from "../../scripts/cluster/gateway_api.ts";
import { join } from "../../scripts/paths.ts";
import { nodeTest, temporaryFolder } from "../support/node.ts";
import { suiteImages } from "./gateway_conformance/images.ts";
import { prepareCluster, runSuite } from "./gateway_conformance/suite.ts";

const LACKING = lackingGatewayApiPrograms();
const NAME = "requests reach a backend through a Gateway that was deployed";

if (LACKING === undefined) {
  nodeTest(NAME, async (cluster) => {
    await using folder = await temporaryFolder();
    for (const archive of await suiteImages(folder.path)) await cluster.importImages(archive);
    await using _ = await prepareCluster(cluster);
    const log = join(folder.path, "suite.log");
    const { success, tests } = await runSuite(cluster, {
      profiles: ["GATEWAY-HTTP"],
      test: "HTTPRouteSimpleSameNamespace",
      report: join(folder.path, "report.yaml"),
      log,
    });
    const ran = tests.filter(({ verdict }) => verdict !== "skipped");
    const passed = [{ name: "HTTPRouteSimpleSameNamespace", verdict: "passed", failedParts: [] }];
    assert.deepEqual(ran, passed, (await Deno.readTextFile(log)).slice(-2000));
    assert.ok(success);
  });
} else {
  Deno.test({ name: `${NAME} [${LACKING}]`, ignore: true, fn: () => {} });
}
