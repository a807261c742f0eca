/**
 * Network namespaces of running pods.
 *
 * @module
 */
import type { Runner } from "../capture/mod.ts";
import type { CniPod } from "./types.ts";

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
  return uid === "" ? undefined : (await scan(procDir)).get(uid);
}

/** The scans in progress by folder: many pods that are looked for at a time share one. */
const scans = new Map<string, Promise<ReadonlyMap<string, string>>>();

/** The network namespaces of the first process of each pod, by the id of the pod. */
function scan(procDir: string): Promise<ReadonlyMap<string, string>> {
  const running = scans.get(procDir);
  if (running !== undefined) return running;
  const begun = scanned(procDir).finally(() => scans.delete(procDir));
  scans.set(procDir, begun);
  return begun;
}

async function scanned(procDir: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const processes = (await namesIn(procDir)).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const process of processes.sort((a, b) => a - b)) {
    const groups = await readGroups(`${procDir}/${process}/cgroup`);
    const uid = podOf(groups);
    if (uid !== undefined && !found.has(uid)) found.set(uid, `${procDir}/${process}/ns/net`);
  }
  return found;
}

/** The id of the pod that control groups name; the systemd driver writes it with underscores. */
function podOf(groups: string): string | undefined {
  for (const part of groups.split(/[/\n]/)) {
    const [, uid] = /^(?:.*-)?pod([0-9a-zA-Z_-]+?)(?:\.slice)?$/.exec(part) ?? [];
    if (uid !== undefined) return uid.replaceAll("_", "-");
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
