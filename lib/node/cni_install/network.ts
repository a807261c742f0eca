/**
 * The entry in the node's network configuration.
 *
 * @module
 */
import { join } from "node:path";
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { type Change, Waiting } from "./change.ts";
import { chooseNetwork, listName, type PassedOver } from "./choose.ts";
import {
  type Bytes,
  digestOf,
  type FileFacts,
  JOURNAL,
  type Journal,
  type NodeFiles,
  type Original,
  readJournal,
  removeFile,
  removeUnfinished,
  writeFile,
  writeJournal,
} from "./disk/mod.ts";
import { restoreNetwork } from "./restore.ts";
import type { InstallSettings } from "./settings.ts";
import { entryOf } from "./text/entry.ts";
import { hasEntry, readNetwork, withEntry, withoutEntry } from "./text/network.ts";

/** The configuration on the node, and what has to change. */
export interface NetworkPlan {
  /** Name of the file that has the entry, or will have it. */
  readonly file: string;
  /** Name of the file that it is made from, which is the same if that is a list. */
  readonly chosen: string;
  readonly passedOver: readonly PassedOver[];
  /** Unset: everything is as it should be. */
  readonly change?: Change;
}

/** Facts of a file that the installation makes. */
const NEW_FILE: FileFacts = { mode: 0o644, uid: 0, gid: 0 };

/**
 * Compares the configuration with what it should be.
 *
 * @throws Waiting when there is none yet; MeshError when it cannot be used
 */
export async function planNetwork(
  settings: InstallSettings,
  files: NodeFiles,
): Promise<NetworkPlan> {
  const { netDir, chained } = settings;
  const entry = entryOf(settings.entry, settings.runDir);
  const chosen = await chooseNetwork(files, settings);
  const { passedOver } = chosen;
  if (chosen.file === undefined) throw new Waiting(chosen.why);
  const before = await snapshot(files, netDir, chosen.file);
  const text = before && textOf(before);
  const wanted = chained
    ? merged(join(netDir, chosen.file), text, entry)
    : `${JSON.stringify(entry, undefined, 2)}\n`;
  const file = chained ? listName(chosen.file) : chosen.file;
  const journal = await readJournal(files, netDir);
  const isCurrent = file === chosen.file && text === wanted &&
    isRecorded(settings, file, journal) &&
    journal?.written.includes(digestOf(encode(wanted)));
  if (isCurrent) return { file, chosen: chosen.file, passedOver };
  const work = {
    settings,
    files,
    journal,
    chosen: chosen.file,
    file,
    before,
    wanted: encode(wanted),
  };
  const what = before === undefined
    ? `${join(netDir, file)} is missing`
    : text !== wanted
    ? `${join(netDir, chosen.file)} is without the entry, or with another one`
    : `${join(netDir, JOURNAL)} does not have this installation`;
  const change: Change = { step: "network", what, apply: () => writeNetwork(work) };
  return { file, chosen: chosen.file, passedOver, change };
}

function isRecorded(settings: InstallSettings, file: string, journal?: Journal): boolean {
  return journal !== undefined && journal.file === file && journal.state === "installed" &&
    journal.instance === settings.instance;
}

function merged(path: string, text: string | undefined, entry: ReturnType<typeof entryOf>): string {
  if (text === undefined) throw new Waiting(`waiting for ${path}`);
  try {
    return withEntry(text, entry);
  } catch (error) {
    throw new MeshError("cni-config-invalid", `${path} cannot be used: ${messageOf(error)}`, {
      remedy: "Correct the file, or name another one with CNI_CONF_NAME.",
      cause: error,
    });
  }
}

/** Input of writing a configuration. */
interface Work {
  readonly settings: InstallSettings;
  readonly files: NodeFiles;
  readonly journal: Journal | undefined;
  /** The file that is read, and the one that is written. */
  readonly chosen: string;
  readonly file: string;
  readonly before: Original | undefined;
  readonly wanted: Bytes;
}

/**
 * Writes the journal, the configuration, and the journal again. Until the last step the journal says
 * that the configuration may be as before.
 */
async function writeNetwork(work: Work): Promise<void> {
  const { settings: { netDir, instance, chained }, files, chosen, file, before, wanted } = work;
  if (!chained) await files.makeDir(netDir);
  await removeUnfinished(files, netDir);
  await refuseTakeover(work);
  let { journal } = work;
  if (journal !== undefined && journal.file !== file) {
    // The node uses another configuration now; the one before gets its own content back.
    await restoreNetwork(files, netDir, journal);
    journal = undefined;
  }
  const digest = digestOf(wanted);
  const record = { instance, file, originals: await originalsOf({ ...work, journal }) };
  const written = [...new Set([...journal?.written ?? [], digest])];
  await writeJournal(files, netDir, { ...record, state: "installing", written });
  const path = await targetOf(files, join(netDir, file));
  await writeFile(files, path, { bytes: wanted, facts: before?.facts ?? NEW_FILE });
  if (chosen !== file) await removeFile(files, join(netDir, chosen));
  await writeJournal(files, netDir, { ...record, state: "installed", written: [digest] });
}

/** The file behind a link, which stays a link. */
async function targetOf(files: NodeFiles, path: string): Promise<string> {
  const facts = await files.facts(path);
  if (facts?.link === undefined) return path;
  const target = await files.resolve(path);
  if (target !== undefined) return target;
  throw new MeshError("cni-link", `${path} is a link that leads nowhere: ${facts.link}`, {
    remedy: "Mount the directory of the link's target, or name another file with CNI_CONF_NAME.",
  });
}

/**
 * A configuration that becomes a list gets another name. A file that would come before that name, and
 * did not come before the old one, would take over the node's network.
 */
async function refuseTakeover({ settings: { netDir }, files, chosen, file }: Work): Promise<void> {
  if (chosen === file) return;
  const between = (await files.list(netDir) ?? []).find((name) =>
    name > chosen && name < file && /\.(conf|conflist|json)$/.test(name)
  );
  if (between === undefined) return;
  throw new MeshError(
    "cni-takeover",
    `${join(netDir, chosen)} cannot become ${file}: ${between} would be used in its place`,
    { remedy: `Rename ${between}, or name the file to use with CNI_CONF_NAME.` },
  );
}

/** The files as they were before the entry came in, which a removal puts back. */
async function originalsOf(
  { settings, files, journal, chosen, file, before }: Work,
): Promise<readonly Original[]> {
  const { netDir, chained } = settings;
  const kept = journal?.originals ?? [];
  const isOwn = (bytes: Bytes) => journal?.written.includes(digestOf(bytes)) ?? false;
  if (before === undefined) return kept.filter(({ name }) => name === file);
  if (!chained || hasEntry(textOf(before))) {
    return isOwn(before.content) ? kept : withoutOwn(before);
  }
  if (chosen === file) return [before];
  const replaced = await snapshot(files, netDir, file);
  if (replaced === undefined) return [before];
  // A list of the same name, which the node does not use, because the other one comes before it.
  const earlier = isOwn(replaced.content)
    ? kept.filter(({ name }) => name === file)
    : withoutOwn(replaced);
  return [before, ...earlier];
}

/** A file that others wrote with the entry in it, as it is without the entry. */
function withoutOwn(original: Original): readonly Original[] {
  const text = textOf(original);
  if (!hasEntry(text)) return [original];
  if (readNetwork(text).kind === "conf") return [];
  const cleaned = withoutEntry(text);
  const isEmpty = readNetwork(cleaned).plugins.length === 0;
  return isEmpty ? [] : [{ ...original, content: encode(cleaned) }];
}

async function snapshot(
  files: NodeFiles,
  netDir: string,
  name: string,
): Promise<Original | undefined> {
  const path = join(netDir, name);
  const content = await files.read(path);
  const facts = await files.facts(path);
  if (content === undefined || facts === undefined) return undefined;
  const { mode, uid, gid, link } = facts;
  return { name, content, facts: { mode, uid, gid }, ...link !== undefined && { link } };
}

function textOf({ content }: Original): string {
  return new TextDecoder().decode(content);
}

function encode(text: string): Bytes {
  return new TextEncoder().encode(text);
}
