/**
 * The agent as a process, on the files of a node in a temporary folder.
 *
 * @module
 */
import { join } from "node:path";
import { eventually, freePorts, programWords } from "../../scripts/harness/mod.ts";

/** Network configurations of other plugins. */
export const LIST = `{"name": "pods", "cniVersion": "1.0.0", "plugins": [
  {"type": "ptp"}
]}
`;
export const BRIDGE = '{"cniVersion": "0.4.0", "name": "dbnet", "type": "bridge", "mtu": 1450.0}\n';

/** A node whose agent can be started and ended. */
export class AgentNode implements AsyncDisposable {
  readonly #root: string;
  /** Name of the agent's pod. */
  readonly #pod: string;
  /** False: another one removes the folder. */
  readonly #isOwner: boolean;
  readonly #ports: readonly number[];
  #process: Deno.ChildProcess | undefined;
  #log: Promise<string> | undefined;

  private constructor(root: string, pod: string, isOwner: boolean) {
    this.#root = root;
    this.#pod = pod;
    this.#isOwner = isOwner;
    this.#ports = freePorts(3);
  }

  static async make(): Promise<AgentNode> {
    const root = await Deno.makeTempDir({ prefix: "mesh-agent-" });
    const node = new AgentNode(root, "agent-1", true);
    for (const dir of ["image", "bin", "net.d", "run", "account"]) await Deno.mkdir(node.at(dir));
    await Deno.writeTextFile(node.at("image/mesh-cni"), "the plugin");
    await Deno.writeTextFile(node.at("account/token"), "token");
    const certificate = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";
    await Deno.writeTextFile(node.at("account/ca.crt"), certificate);
    return node;
  }

  /** Another agent of the same node. */
  beside(pod: string): AgentNode {
    return new AgentNode(this.#root, pod, false);
  }

  at(name: string): string {
    return join(this.#root, name);
  }

  /** Starts the agent. Its API server does not answer. */
  start(...flags: string[]): void {
    const [health, monitoring, ctrlz] = this.#ports;
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [...programWords("install-cni"), `--ctrlz_port=${ctrlz}`, ...flags],
      env: {
        CNI_BIN_SOURCE_DIR: this.at("image"),
        MOUNTED_CNI_BIN_DIR: this.at("bin"),
        MOUNTED_CNI_NET_DIR: this.at("net.d"),
        CNI_AGENT_RUN_DIR: this.at("run"),
        SERVICE_ACCOUNT_DIR: this.at("account"),
        HEALTH_PORT: String(health),
        MONITORING_PORT: String(monitoring),
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: "1",
        POD_NAME: this.#pod,
      },
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#log = new Response(this.#process.stdout).text();
  }

  /** Ends the agent with a signal; gives its log. */
  async end(signal: Deno.Signal = "SIGTERM"): Promise<string> {
    this.#process?.kill(signal);
    await this.#process?.status;
    this.#process = undefined;
    return await this.#log ?? "";
  }

  /** Asks the agent at one of its ports; empty while there is no answer. */
  async get(path: string, listener = 0): Promise<string> {
    try {
      return await (await fetch(`http://127.0.0.1:${this.#ports[listener]}${path}`)).text();
    } catch {
      return "";
    }
  }

  async networks(): Promise<Record<string, string>> {
    const texts: Record<string, string> = {};
    for await (const { name } of Deno.readDir(this.at("net.d"))) {
      if (name.startsWith(".")) continue;
      // A file may go away between the two reads.
      const text = await Deno.readTextFile(join(this.at("net.d"), name)).catch(() => undefined);
      if (text !== undefined) texts[name] = text;
    }
    return texts;
  }

  async put(name: string, text: string): Promise<void> {
    await Deno.writeTextFile(join(this.at("net.d"), name), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process !== undefined) await this.end("SIGKILL");
    if (this.#isOwner) await Deno.remove(this.#root, { recursive: true });
  }
}

/** Waits until a condition holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  await eventually(String(holds), holds);
}

/** A condition: a network configuration has the entry. */
export const isInstalled = (node: AgentNode, file: string): () => Promise<boolean> => async () =>
  (await node.networks())[file]?.includes('"mesh-cni"') ?? false;

/** A condition: the page of the state says something. */
export const says = (node: AgentNode, text: string): () => Promise<boolean> => async () =>
  (await node.get("/")).includes(text);
