/**
 * The choice of the network configuration that the entry goes into.
 *
 * @module
 */
import { join } from "node:path";
import { MeshError } from "../../kit/base/mod.ts";
import type { NodeFiles } from "./disk/files.ts";
import { STANDALONE_NAME } from "./settings.ts";
import { whyUnusable } from "./text/network.ts";

/** Endings of the configurations that are looked for. */
const LOOKED_FOR = /\.(conf|conflist)$/;
/** Endings of the configurations that runtimes read. */
const READ_BY_RUNTIMES = /\.(conf|conflist|json)$/;

/** The directory of configurations, and the settings of the choice. */
export interface Place {
  readonly netDir: string;
  readonly confName: string;
  readonly chained: boolean;
}

/** A configuration that the entry goes into, or the reason why there is none yet. */
export type Chosen =
  | { readonly file: string; readonly passedOver: readonly PassedOver[] }
  | { readonly file: undefined; readonly why: string; readonly passedOver: readonly PassedOver[] };

/** A file that cannot be used. */
export interface PassedOver {
  readonly file: string;
  readonly why: string;
}

/** Chooses the configuration by the settings and the files that are there. */
export async function chooseNetwork(files: NodeFiles, place: Place): Promise<Chosen> {
  const { netDir, confName, chained } = place;
  if (confName.includes("/")) {
    throw new MeshError("cni-conf-name", `CNI_CONF_NAME is a path: ${confName}`, {
      remedy: "Give the name of a file in the directory of --mounted-cni-net-dir.",
    });
  }
  if (!chained) return { file: confName || STANDALONE_NAME, passedOver: [] };
  const names = await files.list(netDir);
  if (names === undefined) {
    return { file: undefined, why: `waiting for the directory ${netDir}`, passedOver: [] };
  }
  if (confName !== "") {
    const forms = [confName, otherForm(confName), listName(confName)];
    const file = forms.find((name) => names.includes(name));
    if (file !== undefined) return { file, passedOver: [] };
    return { file: undefined, why: `waiting for ${join(netDir, confName)}`, passedOver: [] };
  }
  const { first, passedOver } = await firstUsable(files, netDir, LOOKED_FOR);
  if (first !== undefined) return { file: first, passedOver };
  const why = `waiting for a network configuration in ${netDir}`;
  return { file: undefined, why, passedOver };
}

/** The configuration that runtimes of the node use now; `undefined` when there is none. */
export async function usedByRuntime(files: NodeFiles, netDir: string): Promise<string | undefined> {
  return (await firstUsable(files, netDir, READ_BY_RUNTIMES)).first;
}

/**
 * The name under which a configuration with the entry is stored: it is a list, which runtimes expect
 * in files of this ending alone.
 */
export function listName(name: string): string {
  return name.replace(/\.(conf|json)$/, ".conflist");
}

/** `x.conf` for `x.conflist`, and the other way round; for other names the name itself. */
function otherForm(name: string): string {
  return name.endsWith(".conf") ? `${name}list` : name.replace(/\.conflist$/, ".conf");
}

/** The first file that runtimes can use, in the order of the names, and those before it. */
async function firstUsable(
  files: NodeFiles,
  netDir: string,
  endings: RegExp,
): Promise<{ readonly first: string | undefined; readonly passedOver: readonly PassedOver[] }> {
  const passedOver: PassedOver[] = [];
  for (const name of (await files.list(netDir) ?? []).filter((each) => endings.test(each))) {
    const facts = await files.facts(join(netDir, name));
    const content = facts?.isFile ? await files.read(join(netDir, name)) : undefined;
    const why = content === undefined
      ? facts?.link === undefined ? "it is not a file" : `the link leads nowhere: ${facts.link}`
      : whyUnusable(name, new TextDecoder().decode(content));
    if (why === undefined) return { first: name, passedOver };
    passedOver.push({ file: name, why });
  }
  return { first: undefined, passedOver };
}
