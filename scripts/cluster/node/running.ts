/**
 * A cluster with nodes after its start: what its users do with it.
 *
 * @module
 */
import { eventually } from "../../harness/ports.ts";
import { join } from "../../paths.ts";
import { type NodePrograms, nodePrograms } from "../node_programs.ts";
import { type Outcome, output } from "./commands.ts";
import { nodePaths } from "./configuration.ts";
import { API_PORT, linkLayout, type NodeLayout, nodeLayouts, START_MS } from "./layout.ts";
import { closeSpace, type Space } from "./space.ts";

/** A running cluster with nodes. */
export interface NodeCluster extends AsyncDisposable {
  readonly name: string;
  /** Folder with logs of all programs. */
  readonly dir: string;
  /** URL of the API server. */
  readonly server: string;
  /** Configuration file of the administrator. */
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** Names of the nodes. */
  readonly nodes: readonly string[];
  /** Its namespaces, in which programs can be stopped, and started again. */
  readonly space: Space;
  /** Runs `kubectl` on the machine. */
  run(args: readonly string[], input?: string): Promise<Outcome>;
  /** Imports an archive with images into a node; default: all nodes. */
  importImages(archive: string, node?: string): Promise<void>;
  /** Runs a program on a node: in its network, with its folders and processes. */
  onNode(node: string, command: readonly string[]): Promise<Outcome>;
  /** Ends kubelet and container runtime of a node, and starts them again. Its pods go on. */
  restartNode(node: string): Promise<void>;
}

/** A cluster that an earlier process started. */
export async function runningCluster(space: Space): Promise<NodeCluster> {
  const count = [...Deno.readDirSync(space.dir)].filter(({ name }) => /^node-\d+$/.test(name));
  return new RunningCluster(space, await nodePrograms(), nodeLayouts(count.length));
}

/**
 * A `kubectl wait` ends by this flag and is repeated. Questions by one process after the other would take a whole
 * processor.
 */
export const WAIT_FLAG = "--timeout=10s";

/** A cluster whose parts were started. */
export class RunningCluster implements NodeCluster {
  readonly name: string;
  readonly dir: string;
  readonly server: string;
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly nodes: readonly string[];
  readonly space: Space;
  readonly #programs: NodePrograms;
  readonly #layouts: readonly NodeLayout[];

  constructor(space: Space, programs: NodePrograms, layouts: readonly NodeLayout[]) {
    this.space = space;
    this.name = space.record.name;
    this.dir = space.dir;
    const number = Number(/\d+$/.exec(space.record.link ?? "")?.[0]);
    this.server = `https://${linkLayout(number).cluster}:${API_PORT}`;
    this.kubeconfig = join(space.dir, "kubeconfig");
    this.kubectl = programs.kubectl;
    this.nodes = layouts.map(({ name }) => name);
    this.#programs = programs;
    this.#layouts = layouts;
  }

  run(args: readonly string[], input?: string): Promise<Outcome> {
    return output([this.kubectl, `--kubeconfig=${this.kubeconfig}`, ...args], input);
  }

  async importImages(archive: string, node?: string): Promise<void> {
    const on = this.#layouts.filter(({ name }) => node === undefined || name === node);
    for (const layout of on) {
      const { socket } = nodePaths(this.dir, layout);
      await importArchive(this.space, [this.#programs.ctr, "-a", socket], layout.name, archive);
    }
  }

  onNode(node: string, command: readonly string[]): Promise<Outcome> {
    return this.space.run(command, { node });
  }

  async restartNode(node: string): Promise<void> {
    const layout = this.#layouts.find(({ name }) => name === node);
    if (layout === undefined) throw new Error(`${this.name} has no node ${node}`);
    for (const one of ["kubelet", "containerd"]) await this.space.stop(`${node}-${one}`);
    await this.space.relaunch(`${node}-containerd`);
    const { socket } = nodePaths(this.dir, layout);
    await containerdReady(this.space, [this.#programs.ctr, "-a", socket], node);
    await this.space.relaunch(`${node}-kubelet`);
  }

  /** Waits until default service accounts are made: before that no pod is accepted. */
  async ready(what: string): Promise<void> {
    await eventually(`a default service account; see the log of ${what}`, async () => {
      return (await this.run(["wait", "--for=create", "serviceaccount/default", WAIT_FLAG]))
        .success;
    }, START_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeSpace(this.space);
  }
}

/** Waits until the container runtime answers `ctr`, given with the socket: a kubelet ends without it. */
export async function containerdReady(
  space: Space,
  ctr: readonly string[],
  node: string,
): Promise<void> {
  await eventually(`containerd of ${node}`, async () => {
    return (await space.run([...ctr, "version"], { node })).success;
  }, START_MS);
}

/** Imports an archive with images into a node by `ctr`, given with the socket. */
export async function importArchive(
  space: Space,
  ctr: readonly string[],
  node: string,
  archive: string,
): Promise<void> {
  const command = [...ctr, "-n", "k8s.io", "images", "import", "-"];
  const { success, stderr } = await space.run(command, { node, inputFile: archive });
  if (!success) throw new Error(`${archive} cannot be imported: ${stderr}`);
}
