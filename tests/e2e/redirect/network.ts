/**
 * Two linked network namespaces: one with a workload whose traffic the kernel redirects to its
 * proxy, one with a remote client.
 *
 * The rules are those of `mesh-iptables` for TCP over IPv4. Processes of the group {@link
 * PROXY_GROUP} are the proxy and are not redirected.
 *
 * @module
 */
import { PILOT_AGENT } from "../../../cmd/pilot-agent/program.ts";
import { runProgram } from "../../../lib/kit/cli/mod.ts";
import { isInstalled } from "../../support/installed.ts";

/** The group whose traffic is not redirected. */
export const PROXY_GROUP = 1337;

/** Addresses in the workload's namespace. */
export const WORKLOAD = "10.99.0.2";

/** Address of an external host. */
export const ELSEWHERE = "10.99.0.1";

/** Another address there. */
export const BESIDE = "10.99.0.3";

/** Capture of inbound traffic. */
export type Capture = "REDIRECT" | "TPROXY";

/** Two namespaces. */
export interface Network extends AsyncDisposable {
  /** Name of the workload's namespace. */
  readonly workload: string;
  /** Name of the other one. */
  readonly elsewhere: string;
}

/** Runs a program; what it says, or an error with what it complained of. */
export async function run(command: string, ...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`${command} ${args.join(" ")}: ${text.decode(stderr)}`);
  return text.decode(stdout);
}

/** Returns that a program is not installed, or `undefined`. */
export function missingTool(tool: string): string | undefined {
  return isInstalled(tool) ? undefined : `needs ${tool}`;
}

/** Returns what is missing for such a network, or `undefined`. */
export function missing(): string | undefined {
  if (Deno.uid() !== 0) return "needs root";
  for (const tool of ["ip", "iptables", "setpriv"]) {
    const lacking = missingTool(tool);
    if (lacking !== undefined) return lacking;
  }
  const probe = `mesh-probe-${Deno.pid}`;
  const ip = (...args: string[]): boolean =>
    new Deno.Command("ip", { args, stdout: "null", stderr: "null" }).outputSync().success;
  const capture = ["-t", "nat", "-A", "OUTPUT", "-p", "tcp", "-j", "REDIRECT", "--to-ports", "1"];
  const able = ip("netns", "add", probe) && ip("netns", "exec", probe, "iptables", ...capture);
  ip("netns", "del", probe);
  return able ? undefined : "needs network namespaces with iptables";
}

/** Makes the namespaces, and redirects the workload's traffic; without a mode, no traffic. */
export async function makeNetwork(capture?: Capture): Promise<Network> {
  const tag = `${crypto.randomUUID().slice(0, 8)}-${(capture ?? "none").toLowerCase()}`;
  const [workload, elsewhere] = [`mesh-w-${tag}`, `mesh-e-${tag}`];
  const network: Network = {
    workload,
    elsewhere,
    [Symbol.asyncDispose]: async () => {
      for (const name of [workload, elsewhere]) {
        await run("ip", "netns", "del", name).catch(() => {});
      }
    },
  };
  try {
    for (const name of [workload, elsewhere]) await run("ip", "netns", "add", name);
    const link = ["link", "add", "eth0", "netns", workload, "type", "veth"];
    await run("ip", ...link, "peer", "name", "eth0", "netns", elsewhere);
    for (const [name, ...own] of [[workload, WORKLOAD], [elsewhere, ELSEWHERE, BESIDE]] as const) {
      const within = ["-n", name];
      for (const address of own) {
        await run("ip", ...within, "addr", "add", `${address}/24`, "dev", "eth0");
      }
      await run("ip", ...within, "link", "set", "lo", "up");
      await run("ip", ...within, "link", "set", "eth0", "up");
    }
    // Virtual addresses of services lie beyond the other one.
    await run("ip", "-n", workload, "route", "add", "default", "via", ELSEWHERE);
    if (capture !== undefined) await redirect(workload, capture);
    return network;
  } catch (e) {
    await network[Symbol.asyncDispose]();
    throw e;
  }
}

/** Applies the rules of `mesh-iptables` to a namespace. */
export async function redirect(name: string, capture: Capture): Promise<void> {
  const argv = ["mesh-iptables", "--log_output_level=all:none", `--network-namespace=${name}`]
    .concat("-m", capture, "-b", "*", "-i", "*", "-u", `${PROXY_GROUP}`, "-g", `${PROXY_GROUP}`);
  let said = "";
  const io = { out: () => {}, err: (text: string) => void (said += text) };
  const { signal } = new AbortController();
  const status = await runProgram(PILOT_AGENT, argv, { io, signal });
  if (status !== 0) throw new Error(`mesh-iptables: ${said}`);
}
