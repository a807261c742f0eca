/**
 * Archives of files (`tar` in the form of POSIX.1-1988, with gzip).
 *
 * @module
 */

const BLOCK = 512;
const encoder = new TextEncoder();

export interface ArchivedFile {
  /** Path in the archive, with slashes. */
  readonly path: string;
  readonly text: string;
}

/**
 * The archive as a compressed stream.
 *
 * @param time modification time of the files, in milliseconds since the epoch
 */
export function archiveOf(
  files: readonly ArchivedFile[],
  time: number,
): ReadableStream<Uint8Array> {
  const blocks = ReadableStream.from(blocksOf(files, Math.floor(time / 1000)));
  return blocks.pipeThrough(new CompressionStream("gzip"));
}

function* blocksOf(
  files: readonly ArchivedFile[],
  seconds: number,
): Generator<Uint8Array<ArrayBuffer>> {
  for (const { path, text } of files) {
    const content = encoder.encode(text);
    yield headerOf(path, content.length, seconds);
    yield content;
    yield new Uint8Array((BLOCK - content.length % BLOCK) % BLOCK);
  }
  yield new Uint8Array(2 * BLOCK);
}

/** The header of a file; a long path is split into prefix (155 bytes) and name (100 bytes). */
function headerOf(path: string, size: number, seconds: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(BLOCK);
  const put = (at: number, text: string): void => header.set(encoder.encode(text), at);
  const octal = (value: number, length: number): string =>
    value.toString(8).padStart(length - 1, "0");
  const [prefix, name] = splitPath(path);
  put(0, name);
  put(100, octal(0o600, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(size, 12));
  put(136, octal(seconds, 12));
  put(148, "        ");
  put(156, "0");
  put(257, "ustar\u000000");
  put(345, prefix);
  put(148, `${octal(header.reduce((sum, byte) => sum + byte, 0), 7)}\0`);
  return header;
}

function splitPath(path: string): [prefix: string, name: string] {
  if (path.length <= 100) return ["", path];
  const slash = path.indexOf("/", path.length - 101);
  if (slash < 0 || slash > 155) return ["", path.slice(-100)];
  return [path.slice(0, slash), path.slice(slash + 1)];
}
