import { MeshError, printable } from "../../kit/base/mod.ts";

/**
 * The files of a command line. A directory stands for the files in it; with `recursive` it is named
 * itself, which is read with all below it.
 *
 * @throws {MeshError} for a name without file
 */
export async function inputFiles(names: readonly string[], recursive: boolean): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    if (recursive || name === "-" || !(await isDirectory(name))) {
      found.push(name);
      continue;
    }
    const root = name.replace(/\/+$/, "");
    for (const file of await filesOf(root)) found.push(`${root}/${file}`);
  }
  return found;
}

async function isDirectory(name: string): Promise<boolean> {
  try {
    return (await Deno.stat(name)).isDirectory;
  } catch (cause) {
    throw new MeshError("input-unreadable", printable(`cannot read ${name}: ${reasonOf(cause)}`), {
      remedy: "Name a file or directory that can be read, or - for standard input.",
    });
  }
}

async function filesOf(root: string): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(root)) {
      if (!isDirectory && /^[^.#].*\.(?:ya?ml|json)$/.test(name)) files.push(name);
    }
  } catch (cause) {
    throw new MeshError("input-unreadable", printable(`cannot read ${root}: ${reasonOf(cause)}`), {
      remedy: "Make the directory readable.",
    });
  }
  return files.sort();
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file or directory";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return error instanceof Error ? error.message : String(error);
}
