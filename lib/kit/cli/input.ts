import { dataError } from "./errors.ts";
import { MeshError, messageOf } from "../base/mod.ts";
import type { Io } from "./spec.ts";

/** Largest input that is read, in bytes; config dumps of large proxies have about 100 MiB. */
const MAX_INPUT = 512 * 1024 * 1024;

/**
 * The text of a file, or of standard input for `-`.
 *
 * @throws {MeshError} `data` when it is too large or not UTF-8; `input-unreadable` otherwise
 */
export async function readInput(file: string, io: Io, limit: number = MAX_INPUT): Promise<string> {
  const bytes = file === "-" ? await io.input?.() ?? new Uint8Array() : await readFile(file, limit);
  const name = file === "-" ? "standard input" : file;
  if (bytes.length > limit) throw tooLarge(name, limit);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw dataError(`${name} is not text in UTF-8`, "Check that the file is the right one.", cause);
  }
}

async function readFile(file: string, limit: number): Promise<Uint8Array> {
  try {
    const { isDirectory, size } = await Deno.stat(file);
    if (isDirectory) throw unreadable(file, "it is a directory");
    if (size > limit) throw tooLarge(file, limit);
    return await Deno.readFile(file);
  } catch (error) {
    if (error instanceof MeshError) throw error;
    if (error instanceof Deno.errors.NotFound) throw unreadable(file, "there is no such file");
    if (error instanceof Deno.errors.PermissionDenied) throw unreadable(file, "permission denied");
    throw unreadable(file, messageOf(error));
  }
}

function unreadable(file: string, reason: string): MeshError {
  return new MeshError("input-unreadable", `cannot read ${file}: ${reason}`, {
    remedy: "Name a file that can be read, or - for standard input.",
  });
}

function tooLarge(name: string, limit: number): MeshError {
  return dataError(`${name} has more than ${limit / 1024 / 1024} MiB`);
}
