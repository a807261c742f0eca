/**
 * Taking the entry out of the node's network configuration.
 *
 * @module
 */
import { join } from "node:path";
import {
  digestOf,
  type Journal,
  type NodeFiles,
  type Original,
  removeFile,
  writeFile,
  writeLink,
} from "./disk/mod.ts";
import { hasEntry, readNetwork, withoutEntry } from "./text/network.ts";

/**
 * Puts back what the journal has, if the file is still as it was written. Changes of others stay, and
 * only the entry is taken out.
 */
export async function restoreNetwork(
  files: NodeFiles,
  netDir: string,
  journal: Journal,
): Promise<void> {
  const path = join(netDir, journal.file);
  const content = await files.read(path);
  if (content === undefined) return;
  if (!journal.written.includes(digestOf(content))) {
    await takeOutEntry(files, path);
    return;
  }
  // In the order of their names: the first one is the one that the node uses.
  for (const original of [...journal.originals].sort((a, b) => a.name < b.name ? -1 : 1)) {
    await putBack(files, netDir, original, original.name === journal.file);
  }
  if (!journal.originals.some(({ name }) => name === journal.file)) await removeFile(files, path);
}

/** Writes a file as it was; one of the same name that others made since stays. */
async function putBack(
  files: NodeFiles,
  netDir: string,
  { name, content, facts, link }: Original,
  isOwn: boolean,
): Promise<void> {
  const path = join(netDir, name);
  if (isOwn) {
    const target = await files.resolve(path) ?? path;
    await writeFile(files, target, { bytes: content, facts });
    return;
  }
  if (await files.facts(path) !== undefined) return;
  if (link !== undefined) await writeLink(files, path, link);
  else await writeFile(files, path, { bytes: content, facts });
}

/** Takes the entry out of all configurations that have it. */
export async function takeOutEntries(files: NodeFiles, netDir: string): Promise<void> {
  for (const name of await files.list(netDir) ?? []) {
    if (/\.(conf|conflist|json)$/.test(name)) await takeOutEntry(files, join(netDir, name));
  }
}

async function takeOutEntry(files: NodeFiles, path: string): Promise<void> {
  const facts = await files.facts(path);
  const content = facts?.isFile ? await files.read(path) : undefined;
  if (facts === undefined || content === undefined) return;
  const text = new TextDecoder().decode(content);
  if (!hasEntry(text)) return;
  const cleaned = withoutEntry(text);
  // Without the plugin nothing is left of a configuration that had it alone.
  if (readNetwork(text).kind === "conf" || readNetwork(cleaned).plugins.length === 0) {
    await removeFile(files, path);
    return;
  }
  const target = await files.resolve(path) ?? path;
  await writeFile(files, target, { bytes: new TextEncoder().encode(cleaned), facts });
}
