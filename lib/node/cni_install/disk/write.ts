/**
 * Changes of files that are either done or not done, also when the process ends in their middle.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { type Bytes, type FileFacts, type NodeFiles, UNFINISHED, unfinishedPath } from "./files.ts";

/** Remedies by the system's name of the error, or the runtime's. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/ENOSPC|no space/i, "Free space on the node's disk; the installation is tried again."],
  [
    /EROFS|read-only/i,
    "Mount the directory of the node writable; the installation is tried again.",
  ],
  [/EACCES|EPERM|denied|not permitted/i, "Run as root, with the directory mounted writable."],
  [/ENOENT|No such file/i, "Mount the directory of the node; the installation is tried again."],
];

/**
 * Writes a file in one step: others see the old content or the new one.
 *
 * @throws MeshError `cni-write-failed` with the path; the file is as before then
 */
export async function writeFile(
  files: NodeFiles,
  path: string,
  { bytes, facts }: { readonly bytes: Bytes; readonly facts: FileFacts },
): Promise<void> {
  const unfinished = unfinishedPath(path);
  await changing(path, "write", async () => {
    try {
      await files.create(unfinished, bytes, facts);
      await files.rename(unfinished, path);
    } catch (error) {
      await files.remove(unfinished).catch(() => {});
      throw error;
    }
    await files.sync(dirname(path));
  });
}

/** Makes a symbolic link in one step. */
export async function writeLink(files: NodeFiles, path: string, target: string): Promise<void> {
  const unfinished = unfinishedPath(path);
  await changing(path, "write", async () => {
    await files.remove(unfinished);
    await files.link(target, unfinished);
    await files.rename(unfinished, path);
    await files.sync(dirname(path));
  });
}

/** Removes a file, if it is there. */
export async function removeFile(files: NodeFiles, path: string): Promise<void> {
  await changing(path, "remove", async () => {
    await files.remove(path);
    if (await files.list(dirname(path)) !== undefined) await files.sync(dirname(path));
  });
}

/** Removes what ended processes left unfinished in a directory. */
export async function removeUnfinished(files: NodeFiles, dir: string): Promise<void> {
  for (const name of await files.list(dir) ?? []) {
    if (name.endsWith(UNFINISHED)) await removeFile(files, join(dir, name));
  }
}

async function changing(
  path: string,
  verb: "write" | "remove",
  change: () => Promise<void>,
): Promise<void> {
  try {
    await change();
  } catch (cause) {
    const text = messageOf(cause);
    const remedy = REMEDIES.find(([pattern]) => pattern.test(text))?.[1];
    throw new MeshError("cni-write-failed", `cannot ${verb} ${path}: ${text}`, { remedy, cause });
  }
}
