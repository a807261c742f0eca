/**
 * The plugin's binary and its client configuration on the node.
 *
 * @module
 */
import { join } from "node:path";
import { MeshError } from "../../kit/base/mod.ts";
import type { Change } from "./change.ts";
import { type Bytes, digestOf, type NodeFiles } from "./disk/mod.ts";
import { removeUnfinished, writeFile } from "./disk/mod.ts";
import { type InstallSettings, ORCHCONFIG, PLUGIN } from "./settings.ts";
import { orchconfigText } from "./text/orchconfig.ts";

const EXECUTABLE = { mode: 0o755, uid: 0, gid: 0 };

/** Path of the binary on the node. */
export function binaryPath({ binaryDir }: Pick<InstallSettings, "binaryDir">): string {
  return join(binaryDir, PLUGIN);
}

/** Path of the client configuration. */
export function orchconfigPath({ runDir }: Pick<InstallSettings, "runDir">): string {
  return join(runDir, ORCHCONFIG);
}

/** Compares the binary of the node with that of the image; reads files only if they changed. */
export class BinaryStep {
  readonly #settings: InstallSettings;
  readonly #files: NodeFiles;
  /** Identities of both files when they were last found to be equal. */
  #equal = "";

  constructor(settings: InstallSettings, files: NodeFiles) {
    this.#settings = settings;
    this.#files = files;
  }

  /** The change that is needed; `undefined` when the binary is as in the image. */
  async plan(): Promise<Change | undefined> {
    const { binarySource } = this.#settings;
    const target = binaryPath(this.#settings);
    const [from, to] = [await this.#files.facts(binarySource), await this.#files.facts(target)];
    if (from === undefined || !from.isFile) {
      throw new MeshError("cni-no-binary", `the plugin is not in the image: ${binarySource}`, {
        remedy: "Use an image of install-cni, which has the plugin.",
      });
    }
    const identities = `${from.identity} ${to?.identity}`;
    if (identities === this.#equal) return undefined;
    const source = await this.#files.read(binarySource) ?? new Uint8Array();
    const isRegular = to !== undefined && to.link === undefined && to.isFile;
    const isEqual = isRegular && to.mode === EXECUTABLE.mode &&
      digestOf(source) === digestOf(await this.#files.read(target) ?? new Uint8Array());
    if (isEqual) {
      this.#equal = identities;
      return undefined;
    }
    const what = to === undefined
      ? `${target} is missing`
      : `${target} is not the plugin of the image`;
    return { step: "binary", what, apply: () => this.#write(target, source) };
  }

  async #write(target: string, source: Bytes): Promise<void> {
    await removeUnfinished(this.#files, this.#settings.binaryDir);
    await writeFile(this.#files, target, { bytes: source, facts: EXECUTABLE });
  }
}

/** The change that the client configuration needs; `undefined` when it is as it should be. */
export async function planOrchconfig(
  settings: InstallSettings,
  files: NodeFiles,
): Promise<Change | undefined> {
  const { orchconfig, runDir } = settings;
  const path = orchconfigPath(settings);
  const text = orchconfigText(orchconfig, {
    token: await tokenOf(files, orchconfig.tokenFile),
    ca: orchconfig.skipTlsVerify ? new Uint8Array() : await authorityOf(files, orchconfig.caFile),
  });
  const bytes = new TextEncoder().encode(text);
  const [found, facts] = [await files.read(path), await files.facts(path)];
  const isSame = found !== undefined && facts?.link === undefined &&
    facts?.mode === orchconfig.mode && digestOf(found) === digestOf(bytes);
  if (isSame) return undefined;
  const what = found === undefined ? `${path} is missing` : `${path} is not as it should be`;
  return {
    step: "orchconfig",
    what,
    apply: async () => {
      await files.makeDir(runDir);
      await removeUnfinished(files, runDir);
      await writeFile(files, path, { bytes, facts: { mode: orchconfig.mode, uid: 0, gid: 0 } });
    },
  };
}

async function tokenOf(files: NodeFiles, path: string): Promise<string> {
  const bytes = await files.read(path);
  const token = new TextDecoder().decode(bytes).trim();
  if (token !== "") return token;
  const what = bytes === undefined ? "is missing" : "is empty";
  throw new MeshError("cni-no-token", `the token of the service account ${what}: ${path}`, {
    remedy: "Run in a pod with a service account, whose token is mounted.",
  });
}

async function authorityOf(files: NodeFiles, path: string): Promise<Bytes> {
  const bytes = await files.read(path);
  if (bytes !== undefined && new TextDecoder().decode(bytes).includes("-----BEGIN CERTIFICATE")) {
    return bytes;
  }
  const what = bytes === undefined ? "is missing" : "has no certificate in PEM form";
  throw new MeshError(
    "cni-no-authority",
    `the file of the API server's authority ${what}: ${path}`,
    {
      remedy: "Give --orch-ca-file a file with the authority, or --skip-tls-verify.",
    },
  );
}
