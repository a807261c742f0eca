/**
 * A node in a temporary folder, and files whose process is ended between two operations.
 *
 * @module
 */
import { join } from "node:path";
import { DISK, type NodeFiles } from "./disk/mod.ts";
import { type Installation, openInstallation } from "./install.ts";
import { type InstallSettings, PLUGIN } from "./settings.ts";
import { readNetwork, whyUnusable } from "./text/network.ts";

/** Network configurations of other plugins. */
export const BRIDGE = `{
  "cniVersion": "0.4.0",
  "name": "dbnet", "type": "bridge",
  "mtu": 1450.0, "big": 12345678901234567890,
  "ipam": {"type": "host-local", "subnet": "10.1.0.0/16"}
}
`;
export const LIST = `{
  "name": "pods", "cniVersion": "1.0.0",
  "unknown": {"kept": [1, 2.50]},
  "plugins": [
    {"type": "ptp", "ipam": {"type": "host-local"}},
    {
      "type": "portmap",
      "capabilities": {"portMappings": true}
    }
  ]
}
`;

/** A node in a temporary folder, which is removed at the end. */
export interface TestNode extends AsyncDisposable {
  readonly settings: InstallSettings;
  /** An installation by a process of a name, with other files or settings. */
  open(changes?: Partial<InstallSettings>, files?: NodeFiles): Installation;
  /** Writes a network configuration. */
  put(name: string, text: string): Promise<void>;
  /** Texts of the network configurations by name. */
  networks(): Promise<Record<string, string>>;
  /** Reads a file below the folder of the node; `undefined` without one. */
  read(path: string): Promise<string | undefined>;
}

/** Makes a node without network configuration. */
export async function makeNode(): Promise<TestNode> {
  const root = await Deno.makeTempDir({ prefix: "mesh-node-", dir: await fastFolder() });
  const at = (name: string) => join(root, name);
  for (const dir of ["image", "bin", "net.d", "run", "account"]) await Deno.mkdir(at(dir));
  await Deno.writeTextFile(at("image/mesh-cni"), "the plugin", { mode: 0o755 });
  await Deno.writeTextFile(at("account/token"), "token-1\n");
  await Deno.writeTextFile(at("account/ca.crt"), CERTIFICATE);
  const settings: InstallSettings = {
    binarySource: at(`image/${PLUGIN}`),
    binaryDir: at("bin"),
    runDir: at("run"),
    orchconfig: {
      host: "10.0.0.1",
      port: "443",
      protocol: "https",
      tokenFile: at("account/token"),
      caFile: at("account/ca.crt"),
      skipTlsVerify: false,
      mode: 0o600,
    },
    netDir: at("net.d"),
    confName: "",
    chained: true,
    entry: {
      logLevel: "warn",
      excludeNamespaces: ["mesh-system"],
      podNamespace: "mesh-system",
      template: "",
      templateFrom: "CNI_NETWORK_CONFIG",
    },
    instance: "agent-1",
  };
  const read = async (path: string) => {
    const bytes = await DISK.read(join(root, path));
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  };
  return {
    settings,
    open: (changes = {}, files = DISK) => openInstallation({ ...settings, ...changes }, files),
    put: (name, text) => Deno.writeTextFile(join(settings.netDir, name), text),
    read,
    async networks() {
      const texts: Record<string, string> = {};
      for (const name of await DISK.list(settings.netDir) ?? []) {
        if (!name.startsWith(".")) texts[name] = await read(`net.d/${name}`) ?? "";
      }
      return texts;
    },
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

/** A folder in memory, where writing through to the disk takes no time; `undefined` without one. */
async function fastFolder(): Promise<string | undefined> {
  const info = await Deno.stat("/dev/shm").catch(() => undefined);
  return info?.isDirectory ? "/dev/shm" : undefined;
}

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";

/** The plugins that a runtime would call, without the mesh's, and if the mesh's is among them. */
export interface Used {
  readonly name: string;
  readonly plugins: readonly unknown[];
  readonly hasPlugin: boolean;
}

/** The configuration that a runtime uses of several; `undefined`: the node has no network. */
export function usedOf(networks: Readonly<Record<string, string>>): Used | undefined {
  for (const name of Object.keys(networks).sort()) {
    const text = networks[name]!;
    if (!/\.(conf|conflist|json)$/.test(name) || whyUnusable(name, text) !== undefined) continue;
    const plugins = readNetwork(text).plugins;
    return {
      name,
      // The version of a single plugin is that of the list it becomes part of.
      plugins: plugins.filter(({ type }) => type !== PLUGIN)
        .map(({ cniVersion: _, ...rest }) => rest),
      hasPlugin: plugins.some(({ type }) => type === PLUGIN),
    };
  }
  return undefined;
}

/** The end of a process. */
export class Killed extends Error {}

/** Files of a process that ends before one of its changes; in the middle of it, if that can be. */
export interface MortalFiles extends NodeFiles {
  readonly isDead: boolean;
  /** Changes so far. */
  readonly changes: number;
}

/**
 * The disk, for a process that ends at its `at`-th change.
 *
 * @param before called before each change
 */
export function mortal(at: number, before: () => Promise<void> = async () => {}): MortalFiles {
  let changes = 0;
  let isDead = false;
  const alive = async <T>(run: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Killed();
    return await run();
  };
  const change = async (run: () => Promise<void>, half = async () => {}): Promise<void> => {
    if (isDead) throw new Killed();
    await before();
    changes++;
    if (changes !== at) return await run();
    isDead = true;
    await half();
    throw new Killed();
  };
  return {
    get isDead() {
      return isDead;
    },
    get changes() {
      return changes;
    },
    list: (dir) => alive(() => DISK.list(dir)),
    read: (path) => alive(() => DISK.read(path)),
    facts: (path) => alive(() => DISK.facts(path)),
    resolve: (path) => alive(() => DISK.resolve(path)),
    makeDir: (dir) => change(() => DISK.makeDir(dir)),
    create: (path, bytes, facts) =>
      change(
        () => DISK.create(path, bytes, facts),
        () => DISK.create(path, bytes.subarray(0, bytes.length / 2), facts),
      ),
    link: (target, path) => change(() => DISK.link(target, path)),
    rename: (from, to) => change(() => DISK.rename(from, to)),
    remove: (path) => change(() => DISK.remove(path)),
    sync: (dir) => change(() => DISK.sync(dir)),
  };
}
