/**
 * Network namespaces of the node, as this process sees them.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { CNI_CODE, CniFault } from "./fault.ts";
import type { NamespacePaths } from "./types.ts";

/** Names of files of namespaces; neither `.` nor `..`. */
const NAMED = /^\/(?:var\/)?run\/netns\/(?!\.{1,2}$)([A-Za-z0-9_.@:-]{1,255})$/;
const OF_PROCESS = /^\/proc\/((?!1\/)[1-9]\d{0,9}(?:\/task\/\d{1,10})?\/ns\/net)$/;

/**
 * The namespaces of the node below a folder.
 *
 * @param root folder at which `/var/run/netns` and `/proc` of the node are mounted, such as `/host`;
 * empty: this process sees them at their own paths
 */
export function hostPaths(root: string): NamespacePaths {
  return {
    map(path) {
      const [, name] = NAMED.exec(path) ?? [];
      if (name !== undefined) return `${root}/var/run/netns/${name}`;
      const [, process] = OF_PROCESS.exec(path) ?? [];
      if (process !== undefined) return `${root}/proc/${process}`;
      throw new CniFault(
        CNI_CODE.environment,
        `CNI_NETNS: ${JSON.stringify(path.slice(0, 200))} is not a path of a network namespace`,
        { remedy: "It takes /var/run/netns/NAME, /run/netns/NAME or /proc/PID/ns/net." },
      );
    },
    check: (seen) => checkNamespace(seen, `${root}/proc/1/ns/net`),
  };
}

/** Rules in the node's own namespace would redirect the traffic of the whole node. */
async function checkNamespace(seen: string, nodes: string): Promise<void> {
  const own = await Deno.stat("/proc/self/ns/net");
  // Without SYS_PTRACE the node's own cannot be read.
  const node = await statOf(nodes).catch(() => undefined);
  const found = await statOf(seen);
  if (found === undefined) {
    throw new CniFault(CNI_CODE.container, `there is no network namespace at ${seen}`, {
      remedy: "The pod ended meanwhile, or the folder of namespaces is not mounted " +
        "(with HostToContainer).",
    });
  }
  if (found.dev !== own.dev) {
    throw new CniFault(CNI_CODE.environment, `${seen} is not a network namespace`, {
      remedy: "The container runtime ended its pod, or names another file.",
    });
  }
  if (found.ino === own.ino || found.ino === node?.ino) {
    throw new CniFault(CNI_CODE.environment, `${seen} is the network namespace of the node`, {
      remedy: "Pods in the node's network take no sidecar.",
    });
  }
}

async function statOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new CniFault(CNI_CODE.io, `${path} cannot be read: ${messageOf(error)}`, {
      remedy: "install-cni needs SYS_PTRACE for namespaces below /proc.",
      cause: error,
    });
  }
}
