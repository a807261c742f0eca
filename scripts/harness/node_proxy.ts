/**
 * The real node proxy as a process, in a network namespace of its own: its ports are fixed.
 *
 * @module
 */
import { eventually } from "./ports.ts";
import { type Program, startCommand } from "./process.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** Places of the compressed program, relative to the checkout. */
const PLACES = ["../shared/tools/ztunnel.xz"];

/** Path of the compressed node proxy: of `MESH_NODE_PROXY`, else beside the checkout; undefined: there is none. */
export function packedNodeProxy(): string | undefined {
  const named = Deno.env.get("MESH_NODE_PROXY") ?? "";
  const paths = named === "" ? PLACES.map((place) => ROOT + place) : [named];
  return paths.find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

/** Path of the program, unpacked into the cache of tools. */
export async function nodeProxyPath(packed: string): Promise<string> {
  const { size, mtime } = await Deno.stat(packed);
  const cache = `${Deno.env.get("HOME")}/.cache/mesh/node-proxy-${size}-${mtime?.getTime() ?? 0}`;
  const path = `${cache}/ztunnel`;
  if (await Deno.stat(path).then(() => true, () => false)) return path;
  const scratch = await Deno.makeTempDir({ prefix: "mesh-node-proxy-" });
  const command = 'xz -dkc "$1" > "$2/ztunnel" && chmod 755 "$2/ztunnel"';
  await run("sh", "-c", command, "sh", packed, scratch);
  await run("mkdir", "-p", cache);
  // Renaming is atomic within a file system alone; runs at the same time write the same bytes.
  await run("mv", `${scratch}/ztunnel`, `${path}.${Deno.pid}`);
  await Deno.rename(`${path}.${Deno.pid}`, path);
  await Deno.remove(scratch, { recursive: true });
  return path;
}

async function run(command: string, ...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`${command} ${args.join(" ")}: ${text(stderr)}`);
  return text(stdout);
}

/** A network namespace whose programs reach the host at `host`. */
export interface NodeNetwork extends AsyncDisposable {
  readonly name: string;
  /** Address of the host. */
  readonly host: string;
  /** Address of the namespace; others of its range can be added. */
  readonly address: string;
  /** Adds an address to the namespace. */
  addAddress(address: string): Promise<void>;
  /**
   * Adds a link-local address to the host, which the namespace reaches, and returns it; `last`: its last
   * number. Agents take such an address for their only one.
   */
  addHostAddress(last: number): Promise<string>;
  /** Runs a command in it; returns its output. */
  run(command: string, ...args: readonly string[]): Promise<string>;
  /** Starts a program in it. */
  start(
    command: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
    cwd?: string,
  ): Program;
}

/** Creates a namespace; `index` (100 to 250) makes its addresses differ from those of others. */
export async function makeNodeNetwork(index: number): Promise<NodeNetwork> {
  const name = `mesh-n${index}-${Deno.pid}`;
  const link = `mn${index}-${Deno.pid}`.slice(0, 15);
  // A network of an ended process must not be in the way.
  const range = `10.${index}.${Deno.pid % 256}`;
  const [host, address] = [`${range}.1`, `${range}.2`];
  await run("ip", "netns", "add", name);
  const within = ["netns", "exec", name] as const;
  await run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
  await run("ip", "addr", "add", `${host}/24`, "dev", link);
  await run("ip", "link", "set", link, "up");
  await run("ip", ...within, "ip", "link", "set", "lo", "up");
  await run("ip", ...within, "ip", "addr", "add", `${address}/24`, "dev", "eth0");
  await run("ip", ...within, "ip", "link", "set", "eth0", "up");
  await run("ip", ...within, "ip", "route", "add", "default", "via", host);
  return {
    name,
    host,
    address,
    addAddress: async (one) =>
      void await run("ip", ...within, "ip", "addr", "add", `${one}/32`, "dev", "eth0"),
    addHostAddress: async (last) => {
      const added = `169.254.${Deno.pid % 256}.${last}`;
      await run("ip", "addr", "add", `${added}/32`, "dev", link);
      return added;
    },
    run: (command, ...args) => run("ip", ...within, command, ...args),
    start: (command, args, env, cwd) => startCommand("ip", [...within, command, ...args], env, cwd),
    [Symbol.asyncDispose]: async () => void await run("ip", "netns", "del", name),
  };
}

/** Options of {@link startNodeProxy}. */
export interface NodeProxyOptions {
  /** Path of the program. */
  readonly path: string;
  readonly network: NodeNetwork;
  /** URL of the daemon's discovery service, with the scheme. */
  readonly xds: string;
  /** URL of its authority; default: that of discovery. */
  readonly ca?: string;
  /** Its working directory; files are created below it. */
  readonly dir: string;
  readonly node: string;
  /** Token of its account; default: an empty file. */
  readonly token?: string;
  /** Roots of the daemon, PEM. */
  readonly root?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The used part of the node proxy's `/config_dump`. */
export interface NodeProxyDump {
  readonly workloads: readonly Readonly<Record<string, unknown>>[];
  readonly services: readonly Readonly<Record<string, unknown>>[];
  readonly policies: readonly Readonly<Record<string, unknown>>[];
  readonly certificates: readonly Readonly<Record<string, unknown>>[];
}

/** A running node proxy. */
export interface NodeProxy extends AsyncDisposable {
  readonly program: Program;
  configDump(): Promise<NodeProxyDump>;
  /** Waits until its dump satisfies a condition; fails with the last dump. */
  dumped(what: string, isMet: (dump: NodeProxyDump) => boolean): Promise<NodeProxyDump>;
}

const DAEMON_NAME = "meshd.mesh-system.svc";

/** Starts a node proxy that takes its traffic from its own namespace, not from pods. */
export async function startNodeProxy(options: NodeProxyOptions): Promise<NodeProxy> {
  const { path, network, xds, ca = xds, dir, node, token = "", root } = options;
  await Deno.mkdir(dir, { recursive: true });
  await Deno.writeTextFile(`${dir}/token`, token);
  if (root !== undefined) await Deno.writeTextFile(`${dir}/root.pem`, root);
  const program = network.start(path, ["proxy", "ztunnel"], {
    XDS_ADDRESS: xds,
    CA_ADDRESS: ca,
    // The daemon's certificate has names, not the address of the host in the namespace.
    ALT_XDS_HOSTNAME: DAEMON_NAME,
    ALT_CA_HOSTNAME: DAEMON_NAME,
    CLUSTER_ID: "Orchestrator",
    NODE_NAME: node,
    POD_NAME: `ztunnel-${node}`,
    POD_NAMESPACE: "mesh-system",
    INSTANCE_IP: network.address,
    SERVICE_ACCOUNT: "ztunnel",
    INPOD_ENABLED: "false",
    RUST_LOG: "info",
    ...(token === "" ? {} : { AUTH_TOKEN: `${dir}/token` }),
    ...(root === undefined
      ? {}
      : { XDS_ROOT_CA: `${dir}/root.pem`, CA_ROOT_CA: `${dir}/root.pem` }),
    ...options.env,
  }, dir);
  const configDump = async (): Promise<NodeProxyDump> =>
    JSON.parse(await network.run("curl", "-sSf", "http://127.0.0.1:15000/config_dump"));
  try {
    await eventually("the node proxy's admin page", async () => {
      await network.run("curl", "-sSf", "http://127.0.0.1:15000/config_dump");
      return true;
    });
  } catch (cause) {
    await program[Symbol.asyncDispose]();
    throw new Error(`the node proxy did not start:\n${program.output()}`, { cause });
  }
  return {
    program,
    configDump,
    dumped: async (what, isMet) => {
      let last: NodeProxyDump | undefined;
      try {
        await eventually(what, async () => isMet(last = await configDump()));
      } catch (cause) {
        const shown = JSON.stringify(last, undefined, 2);
        throw new Error(`${what}: ${shown}\n${program.output().slice(-4000)}`, { cause });
      }
      return last!;
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
