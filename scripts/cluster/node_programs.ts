/**
 * The programs that run pods on the nodes of a test cluster, built with Go when a node is asked
 * for: containerd with its shim and `ctr`, CNI plugins, CoreDNS, and what runs in the pods of
 * tests. runc, iptables and nft are the machine's own.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { isOnPath, join } from "../paths.ts";
import { HOST } from "../tools.ts";
import { cniPrograms } from "./cni_programs.ts";
import { type GoBuild, goPrograms, lackingBuild } from "./go.ts";
import type { PodNetwork } from "./node/layout.ts";
import { type ClusterPrograms, clusterPrograms, lackingCluster } from "./programs.ts";

/** Version of containerd, as in `runtime/go.mod`. */
const RUNTIME_VERSION = "2.4.2";
/** Version of CoreDNS, as in `dns/go.mod`. */
const DNS_VERSION = "1.15.0";

const CONTAINERD = "github.com/containerd/containerd/v2/cmd";
const CNI = "github.com/containernetworking/plugins/plugins";

const RUNTIME: GoBuild = {
  module: "runtime",
  name: `runtime-${RUNTIME_VERSION}`,
  title: `containerd ${RUNTIME_VERSION} and CNI plugins`,
  // Snapshots are overlays; other drivers are left out.
  flags: ["-tags", "no_btrfs,no_devmapper,no_zfs,no_aufs"],
  packages: [
    ...["containerd", "containerd-shim-runc-v2", "ctr"].map((name) => `${CONTAINERD}/${name}`),
    ...["ipam/host-local", "main/loopback", "main/ptp", "meta/portmap"].map((name) =>
      `${CNI}/${name}`
    ),
  ],
};

const DNS: GoBuild = {
  module: "dns",
  name: `dns-${DNS_VERSION}`,
  title: `CoreDNS ${DNS_VERSION}`,
  packages: ["."],
  output: "coredns",
};

const WORKLOAD: GoBuild = {
  module: "workload",
  name: "workload",
  title: "the workload of test pods",
  packages: ["./pause", "./workload"],
};

/** Debian's packages with the programs that are not built, by program. */
const SYSTEM_PROGRAMS: Readonly<Record<string, string>> = {
  runc: "runc",
  iptables: "iptables",
  nft: "nftables",
  ip: "iproute2",
  openssl: "openssl",
  unshare: "util-linux",
  nsenter: "util-linux",
  setpriv: "util-linux",
};

/** Paths of what a cluster with nodes consists of. */
export interface NodePrograms extends ClusterPrograms {
  readonly containerd: string;
  readonly ctr: string;
  /** Folder with containerd's shim, which it looks for on the PATH, and the CNI plugins. */
  readonly runtimeDir: string;
  /** Folder with the plugin `bridge`, if the pods' network needs it. */
  readonly bridgeDir?: string;
  readonly coredns: string;
  /** Static programs for images. */
  readonly pause: string;
  readonly workload: string;
}

/** The reason why this machine cannot run nodes, with the remedy; `undefined` if it can. */
export function nodeObstacle(): MeshError | undefined {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) {
    return new MeshError("node-not-root", "A node needs root on Linux: it makes namespaces.", {
      remedy: "Run it as root.",
    });
  }
  const missing = missingPackages();
  if (missing.length === 0) return undefined;
  return new MeshError("node-packages", `A node needs ${missing.join(", ")}.`, {
    remedy: `Debian, Ubuntu: apt-get install ${missing.join(" ")}`,
  });
}

/**
 * The reason why clusters with nodes cannot run here, for names of tests; `undefined` if they can.
 */
export function lackingNodes(): string | undefined {
  const obstacle = nodeObstacle();
  if (obstacle?.code === "node-not-root") return "needs root";
  if (obstacle !== undefined) return `needs ${missingPackages().join(", ")}`;
  const lacking = lackingCluster() ??
    [RUNTIME, DNS, WORKLOAD].map(lackingBuild).find((reason) => reason !== undefined);
  return lacking === "needs `deno task tools`" ? "needs `deno task test:node`" : lacking;
}

/** Debian's packages whose programs are not on the PATH. */
function missingPackages(): string[] {
  const missing = Object.entries(SYSTEM_PROGRAMS).filter(([program]) => !isOnPath(program));
  return [...new Set(missing.map(([, name]) => name))];
}

/**
 * The programs. Those that the cache lacks are built: 10 minutes on two cores for all.
 *
 * @param network the first plugin of the pods' network
 * @throws MeshError `tools-…`, `node-…` with a remedy
 */
export async function nodePrograms(
  progress: (line: string) => void = HOST.progress,
  network: PodNetwork = "ptp",
): Promise<NodePrograms> {
  const obstacle = nodeObstacle();
  if (obstacle !== undefined) throw obstacle;
  const left = [lackingCluster(), ...[RUNTIME, DNS, WORKLOAD].map(lackingBuild)]
    .map((lacking) => lacking !== undefined);
  const all = left.filter((isLacking) => isLacking).length;
  let begun = 0;
  const told = (): (line: string) => void => {
    const number = left.shift() === true ? ++begun : begun;
    return (line) => progress(`build ${number} of ${all}: ${line}`);
  };
  const cluster = await clusterPrograms(told());
  const runtime = await goPrograms(RUNTIME, told());
  const dns = await goPrograms(DNS, told());
  const workload = await goPrograms(WORKLOAD, told());
  return {
    ...cluster,
    containerd: join(runtime, "containerd"),
    ctr: join(runtime, "ctr"),
    runtimeDir: runtime,
    ...network === "bridge" && { bridgeDir: (await cniPrograms()).dir },
    coredns: join(dns, "coredns"),
    pause: join(workload, "pause"),
    workload: join(workload, "workload"),
  };
}

if (import.meta.main) {
  try {
    console.log((await nodePrograms()).containerd);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`tools: ${error.message}`);
    if (error.remedy !== undefined) console.error(`tools: ${error.remedy}`);
    Deno.exit(1);
  }
}
