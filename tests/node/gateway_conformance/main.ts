/**
 * `deno task conformance:gateway`: runs the conformance suite of the Gateway API against the mesh on a
 * node, which is installed as users install it. Needs what nodes need.
 *
 * Flags: `--profiles=GATEWAY-HTTP,MESH-HTTP` (default: all that Mesh has), `--test=NAME` (one test),
 * `--into=FOLDER` (for the reports and the outputs; default `dist/conformance`), `--page` (writes the
 * reports to the page about conformance), and after `--` flags of the suite. Profiles of gateways and of
 * the mesh are two runs.
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
import { prepareCluster, profileGroups, runSuite } from "./suite.ts";

const PAGE = fromFileUrl(new URL("../../../docs/conformance.md", import.meta.url));

const PROFILES = [
  "GATEWAY-HTTP",
  "GATEWAY-TLS",
  "GATEWAY-GRPC",
  "GATEWAY-TCP",
  "GATEWAY-UDP",
  "MESH-HTTP",
  "MESH-GRPC",
];

/** Exit status where the suite cannot run. */
const EXIT_LACKING = 2;

const say = (line: string): void => console.error(line);

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      profiles: { type: "string", default: PROFILES.join(",") },
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
  const reports: string[] = [];
  let passed = true;
  for (const [index, group] of profileGroups(profiles.split(",")).entries()) {
    const report = join(into, `report-${index}.yaml`);
    const log = join(into, `suite-${index}.log`);
    const { success, tests } = await runSuite(cluster, {
      profiles: group,
      ...(test === undefined ? {} : { test }),
      flags: positionals,
      report,
      log,
    });
    console.log(`${group.join(", ")}: ${summaryOf(tests)}`);
    if (!success || tests.length === 0) say(`the suite failed; see ${log}`);
    passed &&= success && tests.length > 0;
    if (page) reports.push((await Deno.readTextFile(report)).trim());
  }
  if (page) {
    const text = await Deno.readTextFile(PAGE);
    await Deno.writeTextFile(PAGE, withReport(text, reports.join("\n---\n")));
  }
  return passed ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
