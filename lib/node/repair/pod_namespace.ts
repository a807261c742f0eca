/**
 * Network namespaces of running pods.
 *
 * @module
 */
import type { Runner } from "../capture/mod.ts";
import type { CniPod } from "../cni/mod.ts";

/** Sources of {@link namespaceOfPod}. */
export interface NamespaceSources {
  /** Folder with `/proc` and `/var/run/netns` of the node; empty: those of this process. */
  readonly hostRoot: string;
  /** Runs programs in the network namespace at a path that this process sees. */
  runnerFor(seen: string): Runner;
}

/**
 * The path of the network namespace of a pod: by a process in the pod's control group, else the only
 * named namespace that has the pod's address. The second way serves nodes whose control groups have no
 * ids of pods.
 *
 * @returns `undefined` if there is none on this node, yet or any longer
 */
export async function namespaceOfPod(
  pod: CniPod,
  sources: NamespaceSources,
): Promise<string | undefined> {
  const { metadata: { uid = "" }, status: { podIPs = [] } = {} } = pod;
  return await byProcess(`${sources.hostRoot}/proc`, uid) ??
    await byAddress(podIPs.map(({ ip }) => ip), sources);
}

async function byProcess(procDir: string, uid: string): Promise<string | undefined> {
  // The systemd driver writes the id with underscores.
  const names = [`pod${uid}`, `pod${uid.replaceAll("-", "_")}`];
  for (const name of await namesIn(procDir)) {
    if (!/^\d+$/.test(name)) continue;
    const groups = await readGroups(`${procDir}/${name}/cgroup`);
    const isOfPod = groups.split(/[/\n]/).some((part) =>
      names.some((one) => part === one || part.endsWith(`-${one}.slice`))
    );
    if (isOfPod) return `${procDir}/${name}/ns/net`;
  }
  return undefined;
}

/** `undefined` also if two namespaces have the address, because one may be of a pod that has ended. */
async function byAddress(
  addresses: readonly string[],
  { hostRoot, runnerFor }: NamespaceSources,
): Promise<string | undefined> {
  if (addresses.length === 0) return undefined;
  const dir = `${hostRoot}/var/run/netns`;
  const found: string[] = [];
  for (const name of await namesIn(dir)) {
    const path = `${dir}/${name}`;
    const { code, stdout } = await runnerFor(path).run({ argv: ["ip", "-o", "addr", "show"] });
    if (code !== 0) continue;
    const own = [...stdout.matchAll(/ inet6? ([0-9a-fA-F.:]+)\//g)].map(([, address]) => address);
    if (addresses.every((address) => own.includes(address))) found.push(path);
  }
  return found.length === 1 ? found[0] : undefined;
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** A process may end while it is looked at. */
async function readGroups(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return "";
  }
}
