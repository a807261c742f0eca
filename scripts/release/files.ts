/**
 * Files of a release: compressed archives that are the same for the same entries, and checksums.
 *
 * @module
 */
import { sha256Of } from "../checksum.ts";
import { compressed, withFolders, writeFile } from "../images/image.ts";
import { tarBytes, type TarEntry } from "../images/tar.ts";

/** Writes `FILE.tar.gz` or `.tgz`; the folders of the entries need not be named. */
export async function writeTarGz(entries: readonly TarEntry[], file: string): Promise<void> {
  await writeFile(`${file}.new`, compressed(tarBytes(withFolders(entries))));
  await Deno.rename(`${file}.new`, file);
}

/** Writes an archive whose content is compressed already. */
export async function writeTar(entries: readonly TarEntry[], file: string): Promise<void> {
  await writeFile(`${file}.new`, tarBytes(withFolders(entries)));
  await Deno.rename(`${file}.new`, file);
}

export function textEntry(path: string, text: string, mode: number = 0o644): TarEntry {
  return { path, mode, data: new TextEncoder().encode(text) };
}

/** Name of the file with checksums. */
export const SUMS = "SHA256SUMS";

/** Checksums of the files of a folder by name, in their order; not of {@link SUMS} itself. */
export async function checksums(folder: string): Promise<Map<string, string>> {
  const names = (await Array.fromAsync(Deno.readDir(folder)))
    .filter(({ name, isFile }) => isFile && name !== SUMS && !name.endsWith(".new"))
    .map(({ name }) => name).sort();
  const sums = new Map<string, string>();
  for (const name of names) sums.set(name, await sha256Of(`${folder}/${name}`));
  return sums;
}

/** Checksums as `sha256sum --check` reads them. */
export function sumsText(sums: ReadonlyMap<string, string>): string {
  return [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join("");
}
