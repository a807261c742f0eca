/**
 * The control groups of a cluster. With version 1 of the kernel's interface the processes of a
 * cluster are in a group of its name of each controller, and containers below it; with version 2 the
 * kubelet manages the group.
 *
 * @module
 */
import { eventually } from "../../harness/ports.ts";
import { join } from "../../paths.ts";
import { output } from "./commands.ts";

const ROOT = "/sys/fs/cgroup";

/** True if the machine has version 1. */
export function isGroupsV1(): boolean {
  return !exists(join(ROOT, "cgroup.controllers"));
}

/** The group of a cluster, relative to the root. */
export function groupOf(name: string): string {
  return `mesh-${name}`;
}

/** Makes the groups of a cluster. */
export async function makeGroups(name: string): Promise<void> {
  for (const parent of parents()) {
    const dir = join(parent, groupOf(name));
    await Deno.mkdir(dir, { recursive: true });
    // A group of this controller takes no process before it has values.
    for (const file of ["cpuset.cpus", "cpuset.mems"]) {
      if (!exists(join(parent, file))) continue;
      await Deno.writeTextFile(join(dir, file), await Deno.readTextFile(join(parent, file)));
    }
  }
}

/** Shell commands that bring the shell into the groups of a cluster. */
export function enterGroups(name: string): string {
  if (!isGroupsV1()) return "";
  return parents().map((parent) => `echo $$ > ${join(parent, groupOf(name))}/cgroup.procs;`)
    .join(" ");
}

/**
 * Removes the groups of a cluster once their last process ended.
 *
 * @param containers its {@linkcode containerGroups}
 */
export async function removeGroups(name: string, containers: readonly string[]): Promise<void> {
  for (const parent of parents()) {
    for (const path of [groupOf(name), ...containers]) {
      const group = join(parent, path);
      await eventually(`the processes of ${group} to end`, () => removeGroup(group));
    }
  }
}

/**
 * The groups in which containers of a cluster run now. With version 1 they are beside that of the cluster, because the
 * kubelet names no parent.
 *
 * @param init the first process of the cluster
 */
export async function containerGroups(init: number): Promise<string[]> {
  if (!isGroupsV1()) return [];
  const { stdout } = await output(["ps", "-eo", "pid=,ppid="]);
  const parents = new Map(
    stdout.trim().split("\n").map((line) => {
      const [pid, parent] = line.trim().split(/ +/).map(Number);
      return [pid!, parent!];
    }),
  );
  const isBelow = (pid: number | undefined): boolean =>
    pid === init || (pid !== undefined && isBelow(parents.get(pid)));
  const texts = [...parents.keys()].filter(isBelow).map((pid) =>
    Deno.readTextFile(`/proc/${pid}/cgroup`).catch(() => "")
  );
  // cgroups(7): lines of number, controllers and path.
  const paths = (await Promise.all(texts)).flatMap((text) =>
    [...text.matchAll(/^\d+:[^:]*:\/(k8s\.io\/[0-9a-f]+)$/gm)].map(([, path]) => path!)
  );
  return [...new Set(paths)];
}

/** @returns false while a process is in it */
async function removeGroup(dir: string): Promise<boolean> {
  try {
    for await (const { name, isDirectory } of Deno.readDir(dir)) {
      if (isDirectory && !await removeGroup(join(dir, name))) return false;
    }
    await Deno.remove(dir);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    if (error instanceof Deno.errors.Busy || /EBUSY|os error 16/.test(`${error}`)) return false;
    throw error;
  }
}

/** The root of each hierarchy; links, such as `cpu` to `cpu,cpuacct`, are left out. */
function parents(): string[] {
  if (!isGroupsV1()) return [ROOT];
  return [...Deno.readDirSync(ROOT)]
    .filter(({ name, isDirectory }) => isDirectory && exists(join(ROOT, name, "cgroup.procs")))
    .map(({ name }) => join(ROOT, name)).sort();
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
