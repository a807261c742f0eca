/**
 * Facts about the host: addresses, nameservers, users and groups.
 *
 * @module
 */
import { readResolvConf } from "../resolv/mod.ts";
import { isIp } from "../../kit/text/mod.ts";
import type { CaptureHost } from "./parse.ts";
import type { Runner } from "./runner.ts";

/** Sources of facts about the host. */
export interface HostSources {
  /** Programs run in the network namespace that is set up; absent: that of this process. */
  readonly namespace?: Runner;
  /** Name of the proxy's user. */
  readonly proxyUser: string;
  /** Do not read resolv.conf: it is not that of the workload. */
  readonly withoutNameservers?: boolean;
}

/** Reads the facts. A file that is missing has no entries. */
export async function readHost(sources: HostSources): Promise<CaptureHost> {
  const passwd = await readLines("/etc/passwd");
  const groups = await readLines("/etc/group");
  const addresses = sources.namespace === undefined
    ? ownAddresses()
    : await namespaceAddresses(sources.namespace);
  const usable = addresses.filter(isUsable);
  const user = passwd.find((fields) => fields[0] === sources.proxyUser);
  return {
    ipv4: usable.some((address) => !address.includes(":")),
    ipv6: usable.some((address) => address.includes(":")),
    nameservers: sources.withoutNameservers ? [] : (await readResolvConf()).nameservers,
    ...user?.[2] && user[3] && { proxyUser: { uid: user[2], gid: user[3] } },
    users: idsByName(passwd),
    groups: idsByName(groups),
  };
}

/** Neither loopback nor link-local, and not the address that Mesh adds to loopback itself. */
function isUsable(address: string): boolean {
  return isIp(address) && !/^(127\.|169\.254\.|::1$|::6$|fe[89ab])/i.test(address);
}

function ownAddresses(): readonly string[] {
  return Deno.networkInterfaces().map(({ address }) => address);
}

async function namespaceAddresses(runner: Runner): Promise<readonly string[]> {
  const { stdout } = await runner.run({ argv: ["ip", "-o", "addr", "show"] });
  return [...stdout.matchAll(/ inet6? ([0-9a-fA-F.:]+)\//g)].map((match) => match[1] ?? "");
}

async function readText(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

async function readLines(path: string): Promise<readonly (readonly string[])[]> {
  return (await readText(path)).split("\n").map((line) => line.split(":"));
}

function idsByName(lines: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  return new Map(
    lines.flatMap(([name = "", , id = ""]) => /^\d+$/.test(id) ? [[name, id] as const] : []),
  );
}
