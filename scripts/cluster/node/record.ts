/**
 * Folders of clusters with nodes: each has a record of the processes that it belongs to, so that
 * another run can tell a cluster that is in use from what a killed run left.
 *
 * @module
 */
import { join } from "../../paths.ts";
import { cacheDir, HOST } from "../../tools.ts";

/** A process, which its number alone does not identify: numbers are used again. */
export interface ProcessId {
  readonly pid: number;
  /** Time of its start in ticks since the machine's start. */
  readonly start: string;
}

/** The record of a cluster's processes. */
export interface SpaceRecord {
  readonly name: string;
  /** The process that the cluster ends with; absent: it goes on until it is told to end. */
  readonly owner?: ProcessId;
  /** First process of its namespaces; absent while they are made. */
  readonly init?: ProcessId;
  /** Name of the machine's end of the link to the cluster. */
  readonly link?: string;
}

const RECORD = "record.json";
/** Start of the name of a folder that has no record yet. */
const UNNAMED = ".new-";
/** A folder is named at once; one of this age (ms) was left. */
const UNNAMED_MS = 60_000;
/** The ones before this are process number and name, in parentheses (proc(5)). */
const START_FIELD = 19;

/** The folder with a folder for each cluster. */
export function clustersDir(): string {
  return join(cacheDir(HOST), "clusters");
}

/** The process with a number, if it runs. */
export function processId(pid: number): ProcessId | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A process that ended and was not waited for yet is none.
    return fields[0] === "Z" ? undefined : { pid, start: fields[START_FIELD]! };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || /ESRCH|os error 3/.test(`${error}`)) {
      return undefined;
    }
    throw error;
  }
}

/** True if that very process runs. */
export function isRunning(id: ProcessId | undefined): boolean {
  return id !== undefined && processId(id.pid)?.start === id.start;
}

/** True if nobody uses the cluster: its owner ended, or its namespaces have no process. */
export function isAbandoned({ owner, init }: SpaceRecord): boolean {
  if (owner !== undefined) return !isRunning(owner);
  return !isRunning(init);
}

/**
 * Makes the folder of a cluster with its record.
 *
 * @returns `undefined` if there is a cluster of that name
 */
export async function claimFolder(record: SpaceRecord): Promise<string | undefined> {
  const all = clustersDir();
  await Deno.mkdir(all, { recursive: true });
  await sweepUnnamed(all);
  const work = await Deno.makeTempDir({ dir: all, prefix: UNNAMED });
  await writeRecord(work, record);
  const dir = join(all, record.name);
  try {
    // Renaming onto a folder that is not empty fails.
    await Deno.rename(work, dir);
    return dir;
  } catch (error) {
    await Deno.remove(work, { recursive: true });
    try {
      await Deno.stat(dir);
      return undefined;
    } catch {
      throw error;
    }
  }
}

/** Removes folders that runs which were killed meanwhile did not name. */
async function sweepUnnamed(all: string): Promise<void> {
  for await (const { name } of Deno.readDir(all)) {
    if (!name.startsWith(UNNAMED)) continue;
    const dir = join(all, name);
    const { mtime } = await Deno.stat(dir).catch(() => ({ mtime: null })); // named meanwhile
    if (mtime === null || Date.now() - mtime.getTime() < UNNAMED_MS) continue;
    await Deno.remove(dir, { recursive: true });
  }
}

/** Replaces the record of a cluster. */
export async function writeRecord(dir: string, record: SpaceRecord): Promise<void> {
  const file = join(dir, RECORD);
  await Deno.writeTextFile(`${file}.new`, JSON.stringify(record));
  await Deno.rename(`${file}.new`, file);
}

/** The records of all clusters with their folders. */
export async function readRecords(): Promise<(SpaceRecord & { readonly dir: string })[]> {
  const all = clustersDir();
  const found: (SpaceRecord & { readonly dir: string })[] = [];
  try {
    for await (const { name } of Deno.readDir(all)) {
      if (name.startsWith(".")) continue;
      const dir = join(all, name);
      const text = await Deno.readTextFile(join(dir, RECORD)).catch((error) => {
        if (error instanceof Deno.errors.NotFound) return undefined; // removed meanwhile
        throw error;
      });
      found.push({ ...text === undefined ? { name } : JSON.parse(text), dir });
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found.sort((a, b) => a.name < b.name ? -1 : 1);
}
