/**
 * A node for the network plugin without a kubelet: a network namespace in which `cnitool` calls
 * plugins, and the agent's side of the plugin in this process. Pods are objects of a real API server,
 * and network namespaces.
 *
 * @module
 */
import { hostRunner } from "../../../lib/node/capture/mod.ts";
import { hostPaths, podReader, servePlugin } from "../../../lib/node/cni/mod.ts";
import type { OrchClient } from "../../../lib/kit/orch/mod.ts";
import { CNI_HELPER, cniHelper, lackingCniHelper } from "../../../scripts/cluster/cni_helper.ts";
import { cniPrograms, lackingCniPrograms } from "../../../scripts/cluster/cni_programs.ts";
import { missing, run } from "../../e2e/redirect/network.ts";

/** The reason why it cannot run here, or `undefined`. */
export function missingForPlugin(): string | undefined {
  return missing() ?? lackingCniPrograms() ?? lackingCniHelper();
}

/** The first plugins of the networks, by name. */
export const MAIN_PLUGINS = {
  bridge: { type: "bridge", bridge: "mesh0", isGateway: true },
  ptp: { type: "ptp" },
} as const;

export type NetworkName = keyof typeof MAIN_PLUGINS;

/** A call of cnitool. */
export interface ToolCall {
  readonly verb: "add" | "check" | "del" | "gc" | "status";
  readonly network: string;
  /** Name of the network namespace. */
  readonly space: string;
  /** `NAMESPACE/NAME/UID`; empty: none of the orchestrator's pods. */
  readonly pod?: string;
}

/** The end of cnitool. */
export interface ToolEnd {
  readonly success: boolean;
  readonly out: string;
  readonly err: string;
}

/** Its network namespaces are removed with it. */
export interface PluginNode extends AsyncDisposable {
  /** The folder with the agent's sockets. */
  readonly runDir: string;
  /** The folder with the networks. */
  readonly netDir: string;
  /** Makes an empty network namespace for a pod. */
  space(): Promise<string>;
  /**
   * Writes a network: a main plugin and the one of Mesh, with further fields of its entry; `false`: the
   * main plugin alone.
   */
  network(
    name: string,
    version: string,
    main: NetworkName | undefined,
    entry?: object | false,
  ): Promise<void>;
  tool(call: ToolCall): Promise<ToolEnd>;
  /** Calls the helper as container runtimes do. */
  helper(env: Readonly<Record<string, string>>, stdin: string): Promise<ToolEnd>;
  /** Starts the agent's side, until the returned function is called. */
  agent(client: OrchClient): Promise<() => Promise<void>>;
}

/** Makes the node. */
export async function pluginNode(): Promise<PluginNode> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-plugin-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const [runDir, netDir, ipamDir] = [`${dir}/run`, `${dir}/net.d`, `${dir}/ipam`];
  for (const one of [runDir, netDir]) await Deno.mkdir(one);
  const { cnitool, dir: plugins } = await cniPrograms();
  const helper = await cniHelper();
  const makeSpace = async (): Promise<string> => {
    const name = `mesh-p-${crypto.randomUUID().slice(0, 8)}`;
    await run("ip", "netns", "add", name);
    stack.defer(() => run("ip", "netns", "del", name).then(() => {}, () => {}));
    return name;
  };
  const node = await makeSpace();
  const path = `${plugins}:${helper.slice(0, -CNI_HELPER.length - 1)}`;
  const all = stack.move();
  return {
    runDir,
    netDir,
    space: async () => {
      const name = `mesh-p-${crypto.randomUUID().slice(0, 8)}`;
      await run("ip", "netns", "add", name);
      all.defer(() => run("ip", "netns", "del", name).then(() => {}, () => {}));
      return name;
    },
    async network(name, version, main, entry = {}) {
      const ipam = { type: "host-local", subnet: "10.88.0.0/16", dataDir: ipamDir };
      const own = entry && { type: CNI_HELPER, cni_agent_run_dir: runDir, ...entry };
      const list = {
        cniVersion: version,
        name,
        plugins: [
          ...main === undefined ? [] : [{ ...MAIN_PLUGINS[main], ipam }],
          ...own === false ? [] : [own],
        ],
      };
      await Deno.writeTextFile(`${netDir}/10-${name}.conflist`, JSON.stringify(list));
    },
    async tool({ verb, network, space, pod = "" }) {
      const [namespace, name, uid] = pod.split("/");
      const args = name === undefined ? "" : `IgnoreUnknown=1;K8S_POD_NAMESPACE=${namespace};` +
        `K8S_POD_NAME=${name};K8S_POD_UID=${uid}`;
      return await end({
        program: "ip",
        args: ["netns", "exec", node, cnitool, verb, network, `/var/run/netns/${space}`],
        env: { CNI_PATH: path, NETCONFPATH: netDir, CNI_ARGS: args },
      });
    },
    helper: (env, stdin) => end({ program: helper, args: [], env, stdin }),
    async agent(client) {
      const stop = new AbortController();
      const { finished } = await servePlugin({
        socketPath: `${runDir}/pluginevent.sock`,
        logSocketPath: `${runDir}/log.sock`,
        signal: stop.signal,
        pods: podReader(client),
        paths: hostPaths(""),
        runnerFor: hostRunner,
        excludeNamespaces: new Set(),
        nameservers: { cluster: ["10.96.0.10"] },
        retry: { attempts: 3, pauseMs: 10 },
      });
      return async () => {
        stop.abort();
        await finished;
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Started {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

async function end({ program, args, env, stdin = "" }: Started): Promise<ToolEnd> {
  const child = new Deno.Command(program, {
    args: [...args],
    env: { ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(stdin)).then(() => writer.close())
    .catch(() => {}); // A program that does not read it has ended.
  const { success, stdout, stderr } = await child.output();
  await written;
  const text = new TextDecoder();
  return { success, out: text.decode(stdout), err: text.decode(stderr) };
}
