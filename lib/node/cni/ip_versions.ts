/**
 * The versions of IP that a node has.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import type { IpVersion } from "./scratch.ts";

/** The versions, and why IPv6 is not among them. */
export interface NodeVersions {
  readonly versions: readonly IpVersion[];
  /** Empty when IPv6 is among them. */
  readonly withoutIpv6: string;
}

/** Scopes of addresses in the kernel's table that reach beyond a link: global, and site-local. */
const REACHING: ReadonlySet<string> = new Set(["00", "40"]);

/**
 * The versions that pods of a node can have: IPv6 when the node, or the pod of this process, has an address
 * of it beyond loopback and the link.
 *
 * @param hostRoot folder at which the node's `/proc` is mounted
 */
export async function versionsOfNode(hostRoot: string): Promise<NodeVersions> {
  const reasons: string[] = [];
  for (const file of [`${hostRoot}/proc/1/net/if_inet6`, "/proc/self/net/if_inet6"]) {
    try {
      if (hasAddress(await Deno.readTextFile(file))) return { versions: [4, 6], withoutIpv6: "" };
    } catch (error) {
      // A kernel without IPv6 has no such file.
      if (!(error instanceof Deno.errors.NotFound)) reasons.push(messageOf(error));
    }
  }
  const withoutIpv6 = ["the node has no address of IPv6", ...reasons].join("; ");
  return { versions: [4], withoutIpv6 };
}

/** Reports if a table of addresses, as the kernel writes it, has one that reaches beyond the link. */
export function hasAddress(table: string): boolean {
  return table.split("\n").some((line) => {
    const [address, , , scope = ""] = line.trim().split(/\s+/);
    return address !== "" && REACHING.has(scope);
  });
}
