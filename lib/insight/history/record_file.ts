/**
 * The file of a recording.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";

/** A file that is written line by line in the background. */
export interface LineFile {
  readonly write: (line: string) => void;
  /** Resolves when everything is written. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a file for lines and truncates it.
 *
 * @param onError called once when writing fails; writing then stops
 * @throws MeshError `input-log-unwritable`
 */
export async function openLineFile(
  path: string,
  onError: (error: unknown) => void,
): Promise<LineFile> {
  const file = await open(path);
  const encoder = new TextEncoder();
  let failed = false;
  let last = Promise.resolve();
  const append = async (line: string): Promise<void> => {
    if (failed) return;
    try {
      const bytes = encoder.encode(`${line}\n`);
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    } catch (error) {
      failed = true;
      onError(error);
    }
  };
  return {
    write: (line) => {
      last = last.then(() => append(line));
    },
    close: async () => {
      await last;
      file.close();
    },
  };
}

async function open(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  } catch (cause) {
    throw new MeshError("input-log-unwritable", `The recording ${path} cannot be written.`, {
      remedy: "Name a file in a directory that exists and may be written to.",
      cause,
    });
  }
}
