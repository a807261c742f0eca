/**
 * Writing of results into a folder.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import type { Io } from "../../kit/cli/mod.ts";

/** Writes files into a folder, which is made if it does not exist, and names them. */
export async function writeFiles(
  folder: string,
  files: readonly (readonly [name: string, text: string])[],
  io: Io,
): Promise<void> {
  const root = folder.replace(/\/+$/, "") || "/";
  try {
    await Deno.mkdir(root, { recursive: true });
    for (const [name, text] of files) {
      await Deno.writeTextFile(`${root}/${name}`, text);
      io.err(`${root}/${name} is written\n`);
    }
  } catch (cause) {
    if (cause instanceof MeshError) throw cause;
    throw new MeshError("output-unwritable", `${root} cannot be written to: ${messageOf(cause)}`, {
      remedy: "Name a folder that can be written to with --output.",
    });
  }
}
