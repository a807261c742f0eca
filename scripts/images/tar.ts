/**
 * Archives in the format `ustar`, the same for the same entries: times are zero, and the order is
 * that of the entries.
 *
 * @module
 */

/** An entry of an archive. */
export interface TarEntry {
  /** Path without a slash at its start. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** Number of the owning user and group; default 0. */
  readonly owner?: number;
  /** Bytes of a file, */
  readonly data?: Uint8Array;
  /** or the path of a file with them, */
  readonly source?: string;
  /** or the target of a symbolic link; with none of these it is a folder. */
  readonly link?: string;
}

const BLOCK = 512;

/** The bytes of an archive. */
export async function* tarBytes(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    const size = await sizeOf(entry);
    yield header(entry, size);
    let written = 0;
    for await (const chunk of bytesOf(entry)) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size) throw new Error(`${entry.path} changed while it was read`);
    if (size % BLOCK > 0) yield new Uint8Array(BLOCK - size % BLOCK);
  }
  yield new Uint8Array(2 * BLOCK);
}

async function sizeOf({ data, source }: TarEntry): Promise<number> {
  if (source !== undefined) return (await Deno.stat(source)).size;
  return data?.length ?? 0;
}

async function* bytesOf({ data, source }: TarEntry): AsyncGenerator<Uint8Array> {
  if (data !== undefined) yield data;
  if (source !== undefined) yield* (await Deno.open(source)).readable;
}

/** POSIX.1-1988, section 10.1.1. */
function header(entry: TarEntry, size: number): Uint8Array {
  const { path, mode, owner = 0, data, source, link } = entry;
  const isFolder = data === undefined && source === undefined && link === undefined;
  const block = new Uint8Array(BLOCK);
  const encoder = new TextEncoder();
  const put = (text: string, at: number, length: number): void => {
    const bytes = encoder.encode(text);
    if (bytes.length > length) throw new Error(`too long for an archive: ${text}`);
    block.set(bytes, at);
  };
  const octal = (value: number, at: number, length: number): void =>
    put(`${value.toString(8).padStart(length - 1, "0")}\0`, at, length);
  put(isFolder ? `${path}/` : path, 0, 100);
  octal(mode, 100, 8);
  octal(owner, 108, 8);
  octal(owner, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  put(" ".repeat(8), 148, 8);
  put(link !== undefined ? "2" : isFolder ? "5" : "0", 156, 1);
  put(link ?? "", 157, 100);
  put("ustar\x0000", 257, 8);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8);
  return block;
}
