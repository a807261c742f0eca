/**
 * The file resolv.conf: nameservers and search domains.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { isIp } from "../../kit/text/mod.ts";

/** The used part of the file. */
export interface ResolvConf {
  /** Addresses, in order. */
  readonly nameservers: readonly string[];
  /** Domains without a final dot, in order. */
  readonly search: readonly string[];
}

/** resolv.conf(5) allows 6 domains of 256 letters in old resolvers; more are of no use here. */
const MAX_SEARCH = 32;

/**
 * Reads the file; one that is missing is empty.
 *
 * @throws {MeshError} `dns-resolv-conf` when it cannot be read
 */
export async function readResolvConf(path = "/etc/resolv.conf"): Promise<ResolvConf> {
  try {
    return parseResolvConf(await Deno.readTextFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { nameservers: [], search: [] };
    throw new MeshError("dns-resolv-conf", `${path} cannot be read: ${messageOf(error)}`, {
      remedy: "Allow reading it, and the file that it links to.",
      cause: error,
    });
  }
}

/** Parses the text. Nameservers with a zone are left out. The last of `search` and `domain` counts. */
export function parseResolvConf(text: string): ResolvConf {
  const nameservers: string[] = [];
  let search: string[] = [];
  for (const line of text.split("\n")) {
    const [key, ...values] = line.replace(/[#;].*$/, "").trim().split(/\s+/);
    if (key === "nameserver" && isIp(values[0] ?? "")) nameservers.push(values[0]!);
    if (key === "search" || key === "domain") {
      search = values.map((value) => value.toLowerCase().replace(/\.$/, ""))
        .filter((value) => value !== "").slice(0, MAX_SEARCH);
    }
  }
  return { nameservers: [...new Set(nameservers)], search };
}
