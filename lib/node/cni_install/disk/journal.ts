/**
 * The journal: what the network configuration was before the plugin's entry came into it. It is in the
 * directory of the configurations, which outlives the process, the image and a restart of the node.
 *
 * @module
 */
import { join } from "node:path";
import { hash } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import type { Bytes, FileFacts, NodeFiles } from "./files.ts";
import { removeFile, writeFile } from "./write.ts";

const log = scope("cni-agent");

/** Name of the file. Runtimes read no files without one of their endings. */
export const JOURNAL = ".mesh-cni-journal";
/** Ending of a journal that cannot be read; it is kept for people. */
const BROKEN = ".broken";

/** A file as it was. */
export interface Original {
  readonly name: string;
  readonly content: Bytes;
  readonly facts: FileFacts;
  /** Text of the link, if the file was one that the installation removes. */
  readonly link?: string;
}

/** The writes of an installation, and the files that were there before. */
export interface Journal {
  /** The process that installed last. */
  readonly instance: string;
  /**
   * `installing`: the configuration is as before or as written. `installed`: it is as written.
   * `removing`: it is as written, or as before.
   */
  readonly state: "installing" | "installed" | "removing";
  /** Name of the file with the entry. */
  readonly file: string;
  /** Digests of its content as this or an earlier installation wrote it. */
  readonly written: readonly string[];
  /** The files that were in its place; none: the file was made by the installation. */
  readonly originals: readonly Original[];
}

/** The digest of a content, for {@link Journal.written}. */
export function digestOf(bytes: Bytes): string {
  return hash(bytes);
}

/** Reads the journal. One that is broken is renamed, and counts as none. */
export async function readJournal(files: NodeFiles, dir: string): Promise<Journal | undefined> {
  const path = join(dir, JOURNAL);
  const bytes = await files.read(path);
  if (bytes === undefined) return undefined;
  const journal = decode(bytes);
  if (journal !== undefined) return journal;
  log.warn("the journal of the installation cannot be read and is renamed", {
    file: path,
    kept: path + BROKEN,
  });
  await files.rename(path, path + BROKEN);
  return undefined;
}

/** Writes the journal to the disk. */
export async function writeJournal(files: NodeFiles, dir: string, journal: Journal): Promise<void> {
  await writeFile(files, join(dir, JOURNAL), {
    bytes: encode(journal),
    facts: { mode: 0o600, uid: 0, gid: 0 },
  });
}

/** Removes the journal, as the last step of a removal. */
export async function removeJournal(files: NodeFiles, dir: string): Promise<void> {
  await removeFile(files, join(dir, JOURNAL));
}

const VERSION = 1;

function encode({ originals, ...rest }: Journal): Bytes {
  const text = JSON.stringify({
    version: VERSION,
    ...rest,
    originals: originals.map(({ content, ...one }) => ({ ...one, content: content.toBase64() })),
  });
  return new TextEncoder().encode(`${text}\n`);
}

function decode(bytes: Bytes): Journal | undefined {
  try {
    const { version, instance, state, file, written, originals } = JSON.parse(
      new TextDecoder().decode(bytes),
    );
    const isKnown = version === VERSION && typeof file === "string" && file !== "" &&
      !file.includes("/") && Array.isArray(written) && typeof instance === "string" &&
      ["installing", "installed", "removing"].includes(state);
    if (!isKnown) return undefined;
    return { instance, state, file, written, originals: originals.map(decodeOriginal) };
  } catch {
    return undefined;
  }
}

function decodeOriginal(
  { name, content, facts, link }: Omit<Original, "content"> & { readonly content: string },
): Original {
  if (typeof name !== "string" || name === "" || name.includes("/")) throw new TypeError("name");
  const { mode, uid, gid } = facts;
  if (![mode, uid, gid].every(Number.isInteger)) throw new TypeError("facts");
  return {
    name,
    content: Uint8Array.fromBase64(content),
    facts: { mode, uid, gid },
    ...typeof link === "string" && { link },
  };
}
