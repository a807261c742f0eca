/**
 * Groups of test files. `deno test` runs each file in an isolate of its own, which loads the modules
 * of the project again (0.8 CPU s a file). The runner gives it modules that import several test files
 * instead; each file still has its own tests, with their positions.
 *
 * @module
 */
import { join, toFileUrl } from "./paths.ts";

/** A test file with this text gets an isolate of its own, and is among the first that run. */
const ALONE = "@isolate";

/**
 * Divides the files of a tier into groups.
 *
 * @param files paths of test files, in the order of the run
 * @param size most files of a group
 * @param isAlone true for a file that gets a group of its own
 */
export function groupsOf(
  files: readonly string[],
  size: number,
  isAlone: (file: string) => boolean = () => false,
): string[][] {
  const alone = files.filter(isAlone).map((file) => [file]);
  const shared = files.filter((file) => !isAlone(file));
  const count = Math.ceil(shared.length / size);
  // Neighbours share most modules, so a group has files that follow each other.
  const groups = Array.from({ length: count }, (_, group) => {
    const start = Math.floor(group * shared.length / count);
    return shared.slice(start, Math.floor((group + 1) * shared.length / count));
  });
  // They take longest, so they come first.
  return [...alone, ...groups];
}

/**
 * Writes a module for each group of test files.
 *
 * @param files absolute paths of test files
 * @param size most files of a group
 * @param folder where the modules are written
 * @return absolute paths, for `deno test`; a group of one file is the file itself
 */
export async function writeGroups(
  files: readonly string[],
  size: number,
  folder: string,
): Promise<string[]> {
  const alone = new Set<string>();
  for (const file of files) {
    if ((await Deno.readTextFile(file)).includes(ALONE)) alone.add(file);
  }
  await Deno.mkdir(folder, { recursive: true });
  const groups = groupsOf(files, size, (file) => alone.has(file));
  return await Promise.all(groups.map(async (group, index) => {
    if (group.length === 1) return group[0]!;
    const module = join(folder, `group_${index + 1}_test.ts`);
    const imports = group.map((file) => `import ${JSON.stringify(toFileUrl(file).href)};\n`);
    await Deno.writeTextFile(module, imports.join(""));
    return module;
  }));
}
