/**
 * The way into the namespaces of a cluster and of its nodes, as words before a command.
 *
 * @module
 */
import { join } from "../../paths.ts";
import type { ProcessId } from "./record.ts";

/** Leads from the machine into the namespaces that all nodes of a cluster share. */
export function clusterNamespaces({ pid }: ProcessId): string[] {
  return ["nsenter", `--target=${pid}`, "--mount", "--pid", "--net", "--"];
}

/** Leads from the namespaces of the cluster into those of a node. */
export function nodeNamespaces(dir: string, node: string): string[] {
  const pid = Deno.readTextFileSync(join(dir, "pids", outerOf(node))).trim();
  return [
    // The files of network namespaces are seen only in the namespace of mounts.
    ...["nsenter", `--net=/run/netns/${node}`, `--mount=/proc/${pid}/ns/mnt`],
    ...[`--pid=/proc/${pid}/ns/pid_for_children`, "--"],
  ];
}

/** Name of the process of a cluster that waits for the first process of a node. */
export function outerOf(node: string): string {
  return `${node}-init`;
}
