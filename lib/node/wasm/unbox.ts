/**
 * Modules in the forms in which servers hold them: plain, compressed, in an archive.
 *
 * @module
 */
import { createGunzip } from "node:zlib";
import { parseTar } from "nanotar";
import { FetchError } from "./request.ts";

/** Name of the module in an archive. */
const FILE = "plugin.wasm";
/** Forms inside each other: an archive that is compressed, twice. */
const MAX_DEPTH = 3;
const WASM_MAGIC = [0x00, 0x61, 0x73, 0x6d];
const GZIP_MAGIC = [0x1f, 0x8b];
/** Position of `ustar` in the header of an archive's first file. */
const TAR_MAGIC_AT = 257;
const TAR_MAGIC = new TextEncoder().encode("ustar");
/** Size of a header and of the units of content in an archive (POSIX ustar). */
const TAR_BLOCK = 512;
/** Types of entries that describe others: pax headers and GNU's long names. */
const TAR_DESCRIBING = /[xgLKN]/;
/** Largest number of entries of an archive. */
const MAX_ENTRIES = 1000;
/** Largest size of all entries that describe others; the library's work on them is quadratic. */
const MAX_DESCRIBING_BYTES = 64 * 1024;

/**
 * Takes the module out of its wrapping. In an archive it is the file `plugin.wasm` in any folder;
 * without one, the only regular file.
 *
 * @param maxBytes largest size of what a compressed form contains
 * @throws FetchError if there is no module
 */
export async function unboxed(
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  let content = bytes;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    if (startsWith(content, WASM_MAGIC)) return content;
    if (startsWith(content, GZIP_MAGIC)) content = await inflated(content, maxBytes);
    else if (startsWith(content.subarray(TAR_MAGIC_AT), TAR_MAGIC)) content = fileOf(content);
    else break;
  }
  throw new FetchError("what was fetched is not a WebAssembly module", false);
}

function startsWith(bytes: Uint8Array, start: ArrayLike<number>): boolean {
  return bytes.length >= start.length && Array.from(start).every((byte, i) => bytes[i] === byte);
}

/** Stops as soon as the output exceeds the limit. */
async function inflated(
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const gunzip = createGunzip();
  gunzip.end(bytes);
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of gunzip as AsyncIterable<Uint8Array>) {
      size += part.byteLength;
      if (size > maxBytes) {
        throw new FetchError(`the module has more than ${maxBytes} bytes when inflated`, false);
      }
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof FetchError) throw error;
    throw new FetchError("the compressed module is damaged", false);
  }
  const content = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    content.set(part, at);
    at += part.byteLength;
  }
  return content;
}

/** Only contents are read: names and links of an archive never reach the file system. */
function fileOf(archive: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const files = regularFiles(archive);
  const named = files.filter(({ name }) => name.split("/").at(-1) === FILE);
  const [file, ...more] = named.length > 0 ? named : files;
  if (file === undefined || (named.length === 0 && more.length > 0)) {
    throw new FetchError(`the archive has no file ${FILE}`, false);
  }
  return file.data;
}

interface ArchivedFile {
  readonly name: string;
  readonly data: Uint8Array<ArrayBuffer>;
}

/**
 * Checks the headers of an archive before the library reads it.
 *
 * @throws FetchError for too many entries, and for sizes that are none or beyond the end
 */
function checkEntries(archive: Uint8Array): void {
  const text = new TextDecoder("latin1");
  let describing = 0;
  let entries = 0;
  for (let at = 0; at < archive.byteLength - TAR_BLOCK && archive[at] !== 0;) {
    const size = text.decode(archive.subarray(at + 124, at + 136)).replaceAll("\0", " ").trim();
    const bytes = /^[0-7]*$/.test(size) ? parseInt(size || "0", 8) : NaN;
    const isDescribing = TAR_DESCRIBING.test(text.decode(archive.subarray(at + 156, at + 157)));
    at += TAR_BLOCK * (1 + Math.ceil(bytes / TAR_BLOCK));
    if (!(at <= archive.byteLength)) throw new FetchError("the archive is damaged", false);
    if (isDescribing) describing += bytes;
    if (++entries > MAX_ENTRIES || describing > MAX_DESCRIBING_BYTES) {
      throw new FetchError(`the archive has more than ${MAX_ENTRIES} entries`, false);
    }
  }
}

function regularFiles(archive: Uint8Array<ArrayBuffer>): ArchivedFile[] {
  checkEntries(archive);
  try {
    return parseTar(archive).flatMap((item) =>
      item.type === "file" && "data" in item && item.data !== undefined
        ? [{ name: item.name, data: new Uint8Array(item.data) }]
        : []
    );
  } catch {
    throw new FetchError("the archive is damaged", false);
  }
}
