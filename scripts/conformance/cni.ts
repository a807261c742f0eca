/**
 * The corpus `cni`: choosing, merging and writing network configurations, and the client configuration
 * of the network plugin.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { installOptions } from "../../cmd/install-cni/options.ts";
import { INSTALL_CNI } from "../../cmd/install-cni/program.ts";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { parseYaml } from "../../lib/kit/text/mod.ts";
import {
  applyChange,
  chooseNetwork,
  DISK,
  type Installation,
  openInstallation,
  withEntry,
} from "../../lib/node/cni_install/mod.ts";
import { join } from "../paths.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";

/** Values of flags, as the corpus writes them. */
type Values = Readonly<Record<string, string | number | boolean>>;

interface CniCase extends Case {
  readonly function: "default-network" | "config-path" | "merge" | "create" | "orchconfig";
  /** Files of the directory, and files that come into it later, by name. */
  readonly directory?: Readonly<Record<string, string>>;
  readonly later?: Readonly<Record<string, string>>;
  readonly options: {
    readonly flags?: Values;
    readonly env?: Readonly<Record<string, string>>;
    readonly token?: string;
    readonly newConf?: string;
  };
  /** The file that is used or written; null: none. */
  readonly expected: { readonly file?: string | null; readonly error?: boolean };
  readonly golden?: string;
}

export const CNI: Corpus<CniCase> = {
  name: "cni",
  judge: async (one: CniCase, read: ReadFile, folder: string) => {
    if (one.function === "merge") return judgeMerge(one, read);
    const root = await Deno.makeTempDir({ prefix: "mesh-cni-corpus-" });
    try {
      return await judgeNode(one, { root, read, folder });
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  },
};

/** A case with the files of its corpus, and a folder for a node. */
interface Place {
  readonly root: string;
  readonly read: ReadFile;
  readonly folder: string;
}

async function judgeNode(one: CniCase, place: Place): Promise<string | undefined> {
  const installation = await nodeOf(one, place);
  const { settings } = installation;
  await putFiles(settings.netDir, one.directory ?? {}, place.read);
  switch (one.function) {
    case "default-network":
    case "config-path":
      return await judgeChoice(one, installation, place.read);
    case "create":
      return await judgeCreate(one, installation, place.read);
    case "orchconfig":
      return await judgeOrchconfig(one, installation, place.read);
    default:
      return `unknown function ${one.function}`;
  }
}

function judgeMerge({ inputs, options, expected, golden }: CniCase, read: ReadFile) {
  let merged: unknown;
  try {
    merged = JSON.parse(withEntry(read(inputs[0]!), JSON.parse(read(options.newConf!))));
  } catch (error) {
    return expected.error ? undefined : String(error);
  }
  if (expected.error) return "merged, expected an error";
  return difference(merged, JSON.parse(read(golden!)));
}

/** A node with the plugin's binary and the service account of the case. */
async function nodeOf({ options }: CniCase, { root, folder }: Place): Promise<Installation> {
  const at = (name: string) => join(root, name);
  for (const dir of ["image", "bin", "net.d", "run", "account"]) await Deno.mkdir(at(dir));
  await Deno.writeTextFile(at("image/mesh-cni"), "plugin");
  await Deno.writeTextFile(at("account/token"), options.token ?? "token");
  await Deno.writeTextFile(at("account/ca.crt"), "-----BEGIN CERTIFICATE-----\n");
  const given = { "--orch-ca-file": "", ...options.flags };
  const argv = Object.entries(given).map(([name, value]) => {
    const isFile = name === "--orch-ca-file" && value !== "";
    return `${name}=${isFile ? join(folder, String(value)) : value}`;
  });
  using _ = useEnvironment({
    CNI_BIN_SOURCE_DIR: at("image"),
    MOUNTED_CNI_BIN_DIR: at("bin"),
    MOUNTED_CNI_NET_DIR: at("net.d"),
    SERVICE_ACCOUNT_DIR: at("account"),
    ...options.env,
  });
  const { settings } = await installOptions(parseArgv(INSTALL_CNI, argv).flags);
  return openInstallation(settings);
}

async function putFiles(
  netDir: string,
  files: Readonly<Record<string, string>>,
  read: ReadFile,
): Promise<void> {
  for (const [name, source] of Object.entries(files)) {
    await Deno.writeTextFile(join(netDir, name), read(source));
  }
}

async function judgeChoice(
  { expected, later = {} }: CniCase,
  { settings }: Installation,
  read: ReadFile,
): Promise<string | undefined> {
  let chosen = await chooseNetwork(DISK, settings);
  if (Object.keys(later).length > 0) {
    if (chosen.file !== undefined) return `${chosen.file} was used before its file came`;
    await putFiles(settings.netDir, later, read);
    chosen = await chooseNetwork(DISK, settings);
  }
  return sameFile(chosen.file, expected);
}

async function judgeCreate(
  { expected, golden }: CniCase,
  { settings }: Installation,
  read: ReadFile,
): Promise<string | undefined> {
  // The step alone: the entry names the run directory of the case, which is not one of this machine.
  const orchconfig = { ...settings.orchconfig, host: "10.0.0.1", port: "443" };
  const runDir = join(settings.netDir, "../run");
  const template = JSON.stringify({ cni_agent_run_dir: settings.runDir });
  const entry = { ...settings.entry, template };
  const node = openInstallation({ ...settings, orchconfig, runDir, entry });
  const { changes, fault } = await node.inspect();
  for (const change of changes) await applyChange(change);
  const { file } = await node.inspect();
  const wrong = sameFile(file === "" ? undefined : file, expected);
  if (wrong !== undefined) return fault === undefined ? wrong : `${wrong}: ${fault.message}`;
  if (golden === undefined) return undefined;
  const text = await Deno.readTextFile(join(settings.netDir, file));
  return difference(JSON.parse(text), JSON.parse(read(golden)));
}

async function judgeOrchconfig(
  { expected, golden }: CniCase,
  { settings }: Installation,
  read: ReadFile,
): Promise<string | undefined> {
  const node = openInstallation({ ...settings, runDir: join(settings.netDir, "../run") });
  const { changes, fault } = await node.inspect();
  if (fault?.step === "orchconfig") return expected.error ? undefined : fault.message;
  if (expected.error) return "written, expected an error";
  for (const change of changes) await applyChange(change);
  const text = await Deno.readTextFile(join(settings.netDir, "../run/mesh-cni-orchconfig"));
  return difference(parseYaml(text), parseYaml(read(golden!)));
}

function sameFile(file: string | undefined, expected: CniCase["expected"]): string | undefined {
  const wanted = expected.error ? undefined : expected.file ?? undefined;
  return file === wanted ? undefined : `${file ?? "no file"}, expected ${wanted ?? "none"}`;
}

function difference(found: unknown, wanted: unknown): string | undefined {
  if (isDeepStrictEqual(found, wanted)) return undefined;
  return `${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`;
}
