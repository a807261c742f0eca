/**
 * `deno task skew [--commit=COMMIT]`: the daemon of an earlier commit with proxies of these sources, and
 * the reverse, as pods of a node. The installation goes from one pair to the other by `meshctl install`.
 * Needs root and git.
 *
 * @module
 */
import { parseArgs } from "node:util";
import {
  IMPORTED,
  importMeshImages,
  meshctl,
  SYSTEM,
} from "../../../scripts/cluster/mesh/install.ts";
import { startNodes } from "../../../scripts/cluster/node/cluster.ts";
import { TEST_TAG } from "../../../scripts/images/kept.ts";
import { earlierCommit } from "../../support/earlier_tree.ts";
import { temporaryFolder, workloadArchive } from "../../support/node.ts";
import { injectedNamespace, read } from "../../support/node_mesh.ts";
import { EARLIER_TAG, earlierImages } from "./images.ts";
import { deployWorkloads, restartWorkloads, worksTogether } from "./pair.ts";

/** Tags of the images of each pair. */
const PAIRS = [
  { daemon: EARLIER_TAG, proxies: TEST_TAG },
  { daemon: TEST_TAG, proxies: EARLIER_TAG },
] as const;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { commit: { type: "string" } } });
  const commit = values.commit ?? await earlierCommit();
  if (commit === undefined) throw new Error("git has no earlier commit; name one by --commit");
  const begin = performance.now();
  const say = (line: string): void => {
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.log(`${seconds.padStart(6)} s  ${line}`);
  };
  await using folder = await temporaryFolder();
  say(`images of commit ${commit}`);
  const archives = await earlierImages(commit);
  const images = [await workloadArchive(folder.path), ...archives];
  const name = `skew-${Deno.pid}`;
  await using cluster = await startNodes({ name, nodes: 1, isDetached: false, images });
  await importMeshImages(cluster);
  for (const [at, { daemon, proxies }] of PAIRS.entries()) {
    say(`daemon: ${daemon}, proxies: ${proxies}`);
    const tags = [`--set=tag=${proxies}`, `--set=components.pilot.tag=${daemon}`];
    const install = ["install", "-y", "--set=profile=minimal", ...IMPORTED, ...tags];
    const { status, out, err } = await meshctl(cluster, install);
    if (status !== 0) throw new Error(`${out}${err}`);
    const image = await read(cluster, SYSTEM, "deploy/meshd", "{..containers[0].image}");
    if (!image.endsWith(`:${daemon}`)) throw new Error(`the daemon's image is ${image}`);
    say(`the daemon is ready: ${image}`);
    if (at === 0) {
      await injectedNamespace(cluster, "skew");
      await deployWorkloads(cluster);
    } else {
      await worksTogether(cluster, { tag: PAIRS[0].proxies, closed: "/between", say });
      await restartWorkloads(cluster);
    }
    await worksTogether(cluster, { tag: proxies, closed: `/${daemon}`, say });
  }
}

if (import.meta.main) await main(Deno.args);
