import { messageOf } from "../../kit/base/mod.ts";
import { decodeUtf8 } from "../../kit/text/mod.ts";
import { chartSetFrom } from "./chart.ts";
import { chartFault } from "./fault.ts";
import type { ChartSet } from "./types.ts";

/** Largest file of a chart, in bytes. */
const MAX_BYTES = 8 << 20;
/** Most files of a folder. */
const MAX_FILES = 2_000;

/**
 * The charts in a folder, and the profiles in its folder `profiles`.
 *
 * @throws MeshError `chart` for a folder without charts, or files that cannot be used
 */
export async function readChartsFrom(folder: string): Promise<ChartSet> {
  const files = new Map<string, string>();
  await readInto(files, folder.replace(/\/+$/, ""), "");
  const set = chartSetFrom(files);
  if (set.charts.size > 0) return set;
  throw chartFault(
    `${folder} has no charts`,
    "Name a folder whose folders have a Chart.yaml, such as the folder charts of a release.",
  );
}

async function readInto(files: Map<string, string>, root: string, below: string): Promise<void> {
  const path = below === "" ? root : `${root}/${below}`;
  for (const { name, isDirectory } of await entriesOf(path)) {
    if (name.startsWith(".")) continue;
    const inner = below === "" ? name : `${below}/${name}`;
    if (isDirectory) await readInto(files, root, inner);
    else files.set(inner, await textOf(`${root}/${inner}`));
    if (files.size > MAX_FILES) {
      throw chartFault(`${root} has more than ${MAX_FILES} files`, "Name a folder of charts.");
    }
  }
}

async function entriesOf(path: string): Promise<readonly Deno.DirEntry[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(path)))
      .sort((a, b) => a.name < b.name ? -1 : 1);
  } catch (error) {
    throw cannotRead(path, error);
  }
}

async function textOf(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    const { size } = await Deno.stat(path);
    if (size > MAX_BYTES) throw chartFault(`${path} is larger than 8 MiB`, "Remove the file.");
    bytes = await Deno.readFile(path);
  } catch (error) {
    throw cannotRead(path, error);
  }
  try {
    return decodeUtf8(bytes);
  } catch (error) {
    throw chartFault(`${path}: ${messageOf(error)}`, "Remove the file, or store it as UTF-8.");
  }
}

function cannotRead(path: string, error: unknown): unknown {
  if (error instanceof Deno.errors.NotFound) {
    return chartFault(`${path} does not exist`, "Name a folder of charts.");
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return chartFault(`${path} cannot be read`, "Give the right to read it.");
  }
  if (error instanceof Deno.errors.NotADirectory) {
    return chartFault(`${path} is not a folder`, "Name a folder of charts.");
  }
  return error;
}
