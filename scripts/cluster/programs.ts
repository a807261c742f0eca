/**
 * The programs of a test cluster: etcd, kube-apiserver, kube-controller-manager and kubectl, and
 * those of its nodes: kube-scheduler, kubelet and kube-proxy. They are one file with a link for each
 * name, from the module in `scripts/cluster/programs`.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { join } from "../paths.ts";
import { HOST } from "../tools.ts";
import { findGo, type GoBuild, goPrograms, lackingBuild } from "./go.ts";

export { findGo } from "./go.ts";

/** Version of the programs, as in `go.mod`. */
export const CLUSTER_VERSION = "1.36.3";

/**
 * Variables of programs in Go in clusters: the heap grows fivefold before garbage is collected. That saves
 * a fifth of the processor time of a start, and takes 130 MiB more for an API server.
 */
export const CLUSTER_ENV: Readonly<Record<string, string>> = { GOGC: "400" };

const NAMES = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kubectl",
  "kube-scheduler",
  "kubelet",
  "kube-proxy",
] as const;

const BUILD: GoBuild = {
  module: "programs",
  name: `cluster-${CLUSTER_VERSION}`,
  title: `the programs of a test cluster, version ${CLUSTER_VERSION},`,
  linkFlags: versionFlags(),
  packages: ["."],
  output: "programs",
  links: NAMES,
};

/** Paths of the programs. */
export type ClusterPrograms = Readonly<Record<typeof NAMES[number], string>>;

/**
 * The reason why tests with a cluster cannot run here, for their names; `undefined` if they can:
 * the programs were built.
 */
export function lackingCluster(): string | undefined {
  return lackingBuild(BUILD);
}

/**
 * The programs. They are built if the cache has none, which takes 6 minutes on two cores.
 *
 * @throws MeshError `tools-no-go`, `tools-cluster` with a remedy
 */
export async function clusterPrograms(
  progress: (line: string) => void = HOST.progress,
): Promise<ClusterPrograms> {
  const dir = await goPrograms(BUILD, progress);
  return Object.fromEntries(NAMES.map((name) => [name, join(dir, name)])) as ClusterPrograms;
}

/** Without these variables the programs have no version that clients can read. */
function versionFlags(): string[] {
  const [major, minor] = CLUSTER_VERSION.split(".");
  const values = {
    gitVersion: `v${CLUSTER_VERSION}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: "clean",
    gitCommit: "0",
    buildDate: "1970-01-01T00:00:00Z",
  };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
}

if (import.meta.main) {
  if (Deno.args.includes("--optional") && findGo() === undefined) {
    console.error(
      "tools: without Go there are no programs of a test cluster; its tests are skipped",
    );
    Deno.exit(0);
  }
  try {
    console.log((await clusterPrograms())["kube-apiserver"]);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`tools: ${error.message}`);
    if (error.remedy !== undefined) console.error(`tools: ${error.remedy}`);
    Deno.exit(1);
  }
}
