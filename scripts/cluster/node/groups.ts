/**
 * The control groups of a cluster. With version 1 of the kernel's interface the processes of a
 * cluster are in a group of its name of each controller, and containers below it; with version 2 the
 * kubelet manages the group.
 *
 * @module
 */
import { eventually } from "../../harness/ports.ts";
import { join } from "../../paths.ts";

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

/** Removes the groups once their last process ended. */
export async function removeGroups(name: string): Promise<void> {
  for (const parent of parents()) {
    const group = join(parent, groupOf(name));
    await eventually(`the processes of ${group} to end`, () => removeGroup(group));
  }
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
