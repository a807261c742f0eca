/**
 * Configuration files that a command names, read once.
 *
 * @module
 */
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { diskIo } from "./io.ts";
import { listFiles } from "./walk.ts";

/** A file that was read, or the reason why it cannot be read. */
export type ConfigFile =
  & {
    /** The name that the command gives; for a directory with the path below it. */
    readonly name: string;
  }
  & (
    | { readonly bytes: Uint8Array; readonly fault?: undefined }
    | { readonly bytes?: undefined; readonly fault: string }
  );

/** Name of standard input on a command line. */
const STANDARD_INPUT = "-";

/**
 * Reads the named files in order: files, all configuration files below directories, and `-` for
 * standard input. At most `limit` bytes of each are read.
 */
export async function* readConfigFiles(
  names: readonly string[],
  limit: number,
): AsyncGenerator<ConfigFile> {
  for (const name of names) {
    if (name === STANDARD_INPUT) {
      yield await attempt(name, () => readStream(Deno.stdin.readable, limit));
      continue;
    }
    const below = await filesBelow(name);
    if ("fault" in below) yield { name, fault: below.fault };
    else {
      for (const path of below.files) yield await attempt(path, () => diskIo.read(path, limit));
      for (const [path, fault] of below.unreadable) yield { name: path, fault };
    }
  }
}

type Below =
  | {
    readonly files: readonly string[];
    readonly unreadable: readonly (readonly [string, string])[];
  }
  | { readonly fault: string };

async function filesBelow(name: string): Promise<Below> {
  try {
    const { kind } = await diskIo.stat(name);
    if (kind === "file") return { files: [name], unreadable: [] };
    // A pipe or a device is read as a stream, like standard input: `<(generate)`.
    if (kind === "other") return { files: [name], unreadable: [] };
    const root = name.replace(/\/+$/, "");
    const listing = await listFiles(name, diskIo);
    return {
      files: [...listing.files.keys()].map((path) => `${root}/${path}`),
      unreadable: [
        ...[...listing.unreadable].map(([path, why]) => [`${root}/${path}`, why] as const),
        ...listing.irregular.map((path) => [`${root}/${path}`, "not a regular file"] as const),
      ],
    };
  } catch (error) {
    return { fault: reasonOf(error) };
  }
}

async function attempt(name: string, read: () => Promise<Uint8Array>): Promise<ConfigFile> {
  try {
    return { name, bytes: await read() };
  } catch (error) {
    return { name, fault: reasonOf(error) };
  }
}

/** Reads a stream, up to a limit of bytes. */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > limit) {
      throw new MeshError("file-too-large", `it has more than ${limit} bytes`);
    }
    parts.push(part);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) bytes.set(part, at), at += part.length;
  return bytes;
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file or directory";
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return "it may not be read";
  }
  return messageOf(error);
}
