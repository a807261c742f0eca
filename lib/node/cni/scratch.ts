/**
 * Two linked network namespaces of this process: one as a pod has it, one for a client.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { hostRunner, type Runner } from "../capture/mod.ts";

export type IpVersion = 4 | 6;

/** Addresses of the scratch pod and of its client, with the length of their network's prefix. */
interface ScratchAddresses {
  readonly pod: string;
  readonly client: string;
  readonly prefix: number;
}

/**
 * Addresses of IPv4 are link-local, so that they are nobody else's. Addresses of IPv6 are in a range of local
 * networks (RFC 4193): pods with link-local addresses alone have no rules of IPv6.
 */
export const SCRATCH: Readonly<Record<IpVersion, ScratchAddresses>> = {
  4: { pod: "169.254.77.2", client: "169.254.77.1", prefix: 30 },
  6: { pod: "fd6d:6573:6800:77::2", client: "fd6d:6573:6800:77::1", prefix: 64 },
};

/** The namespaces; they end with their processes. */
export interface Scratch extends AsyncDisposable {
  readonly pod: Runner;
  readonly client: Runner;
}

/**
 * Makes the namespaces. In that of the pod, the helper listens at the redirect ports.
 *
 * @throws {MeshError} `cni-self-test` when they cannot be made
 */
export async function makeScratch(helper: string, version: IpVersion): Promise<Scratch> {
  await using stack = new AsyncDisposableStack();
  const pod = hold(stack, helper, ["listen", `${version}`]);
  const client = hold(stack, helper, ["hold"]);
  await ready(pod);
  const runners = { pod: runnerOf(pod), client: runnerOf(client) };
  await run(runners.pod, "ip link set lo up");
  // The client's process is in its namespace when its own files show another one than this.
  await entered(client);
  await run(
    runners.pod,
    `ip link add eth0 type veth peer name eth0 netns ${client.pid}`,
  );
  const { prefix, ...addresses } = SCRATCH[version];
  for (const name of ["pod", "client"] as const) {
    // Nobody else has the address of IPv6: it need not be looked for.
    const sure = version === 6 ? " nodad" : "";
    await run(runners[name], `ip addr add ${addresses[name]}/${prefix} dev eth0${sure}`);
    await run(runners[name], "ip link set eth0 up");
  }
  await run(runners.pod, `ip -${version} route add default via ${addresses.client}`);
  const all = stack.move();
  return { ...runners, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function hold(
  stack: AsyncDisposableStack,
  helper: string,
  part: readonly string[],
): Deno.ChildProcess {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command("unshare", {
      args: ["--net", "--", helper, "self-test", ...part],
      // The process ends with the agent, which holds the other end.
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
  } catch (cause) {
    throw new MeshError("cni-self-test", "unshare cannot be run", { cause });
  }
  stack.defer(async () => {
    try {
      child.kill("SIGKILL");
    } catch { /* It has ended. */ }
    await child.stdin.close().catch(() => {});
    await child.stdout.cancel().catch(() => {});
    await child.status;
  });
  return child;
}

/** Waits for the first output. */
async function ready(child: Deno.ChildProcess): Promise<void> {
  const reader = child.stdout.getReader();
  const { done } = await reader.read();
  reader.releaseLock();
  if (!done) return;
  throw new MeshError("cni-self-test", "a network namespace cannot be made, or not listened in", {
    remedy: "install-cni needs the capability SYS_ADMIN.",
  });
}

async function entered(child: Deno.ChildProcess): Promise<void> {
  const inode = async (pid: string | number) => (await Deno.stat(`/proc/${pid}/ns/net`)).ino;
  const own = await inode("self");
  for (let attempt = 0; attempt < 500; attempt++) {
    if (await inode(child.pid).catch(() => own) !== own) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new MeshError("cni-self-test", "a network namespace cannot be made", {
    remedy: "install-cni needs the capability SYS_ADMIN.",
  });
}

function runnerOf({ pid }: Deno.ChildProcess): Runner {
  return hostRunner(`/proc/${pid}/ns/net`);
}

async function run(runner: Runner, command: string): Promise<void> {
  const { code, stderr } = await runner.run({ argv: command.split(" ") });
  if (code === 0) return;
  throw new MeshError("cni-self-test", `${command}: ${stderr.trim().slice(0, 300)}`, {
    remedy: "install-cni needs the capabilities NET_ADMIN and SYS_ADMIN.",
  });
}
