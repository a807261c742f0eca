/**
 * Nameservers of the node's pods.
 *
 * @module
 */
import { join } from "node:path";
import type { NodeNameservers } from "../../lib/node/cni/mod.ts";
import { readResolvConf } from "../../lib/node/resolv/mod.ts";

/**
 * Reads those of this pod, which other pods of the cluster have too, and those of the node. In the
 * network of the node both are the same, and those of the cluster are not known.
 */
export async function nodeNameservers(hostRoot: string): Promise<NodeNameservers> {
  const own = await read("/etc/resolv.conf");
  const node = await read(join(hostRoot, "/proc/1/root/etc/resolv.conf"));
  const cluster = await isInNodesNetwork(hostRoot) ? undefined : own;
  return { ...cluster && { cluster }, ...node && { node } };
}

async function read(path: string): Promise<readonly string[] | undefined> {
  try {
    const { nameservers } = await readResolvConf(path);
    return nameservers.length === 0 ? undefined : nameservers;
  } catch {
    return undefined; // DNS queries to every server are captured then.
  }
}

async function isInNodesNetwork(hostRoot: string): Promise<boolean> {
  try {
    const [own, node] = [
      await Deno.stat("/proc/self/ns/net"),
      await Deno.stat(join(hostRoot, "/proc/1/ns/net")),
    ];
    return own.ino === node.ino;
  } catch {
    return false;
  }
}
