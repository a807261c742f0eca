/**
 * `deno task conformance:gateway`: runs the conformance suite of the Gateway API against the mesh on a
 * node, which is installed as users install it. Needs what nodes need.
 *
 * Flags: `--profiles=GATEWAY-HTTP,GATEWAY-TLS,GATEWAY-GRPC`, `--test=NAME` (one test), `--into=FOLDER` (for
 * the report and the output; default `dist/conformance`), `--page` (writes the report to the page about
 * conformance), and after `--` flags of the suite.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { startNodes } from "../../../scripts/cluster/node/cluster.ts";
import { lackingNodes } from "../../../scripts/cluster/node_programs.ts";
import { gatewayApiPrograms } from "../../../scripts/cluster/gateway_api.ts";
import { fromFileUrl, join } from "../../../scripts/paths.ts";
import { clusterName, temporaryFolder } from "../../support/node.ts";
import { suiteImages } from "./images.ts";
import { withReport } from "./page.ts";
import { summaryOf } from "./results.ts";
import { prepareCluster, runSuite } from "./suite.ts";

const PAGE = fromFileUrl(new URL("../../../docs/conformance.md", import.meta.url));

/** Exit status where the suite cannot run. */
const EXIT_LACKING = 2;

const say = (line: string): void => console.error(line);

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      profiles: { type: "string", default: "GATEWAY-HTTP,GATEWAY-TLS,GATEWAY-GRPC" },
      test: { type: "string" },
      page: { type: "boolean", default: false },
      into: { type: "string", default: "dist/conformance" },
    },
  });
  await gatewayApiPrograms(say);
  const lacking = lackingNodes();
  if (lacking !== undefined) {
    say(`the suite was not run: ${lacking}`);
    return EXIT_LACKING;
  }
  const { profiles, test, into, page } = values;
  await Deno.mkdir(into, { recursive: true });
  await using folder = await temporaryFolder();
  await using cluster = await startNodes({
    name: clusterName(),
    nodes: 1,
    isDetached: false,
    images: await suiteImages(folder.path),
    progress: say,
  });
  await using _ = await prepareCluster(cluster, say);
  say(`the suite's output: ${join(cluster.dir, "suite.log")}`);
  const { success, tests } = await runSuite(cluster, {
    profiles: profiles.split(","),
    ...(test === undefined ? {} : { test }),
    flags: positionals,
    report: join(into, "report.yaml"),
    log: join(into, "suite.log"),
  });
  console.log(summaryOf(tests));
  if (page) {
    const report = await Deno.readTextFile(join(into, "report.yaml"));
    await Deno.writeTextFile(PAGE, withReport(await Deno.readTextFile(PAGE), report));
  }
  if (!success || tests.length === 0) say(`the suite failed; see ${join(into, "suite.log")}`);
  return success && tests.length > 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
