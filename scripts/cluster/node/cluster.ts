/**
 * A cluster with nodes: API server, controllers, scheduler, name server, and for each node
 * containerd, kubelet and kube-proxy. Pods run. Needs root.
 *
 * @module
 */
import { MeshError } from "../../../lib/kit/base/mod.ts";
import { eventually } from "../../harness/ports.ts";
import { writeImageArchive } from "../../images/image.ts";
import { join } from "../../paths.ts";
import {
  certificateOf,
  type ClusterFiles,
  issueClient,
  makeClusterFiles,
  writeKubeconfig,
} from "../files.ts";
import { type NodePrograms, nodePrograms } from "../node_programs.ts";
import {
  accessFlags,
  cniConfig,
  containerdConfig,
  corefile,
  dnsObjects,
  etcdFlags,
  kubeletConfig,
  managerFlags,
  NO_REGISTRY,
  nodePaths,
  PAUSE_IMAGE,
  proxyConfig,
  serverFlags,
} from "./configuration.ts";
import {
  API_PORT,
  API_SERVICE_ADDRESS,
  API_SERVICE_ADDRESS_6,
  CONTROL_ADDRESS,
  CONTROL_ADDRESS_6,
  DNS_ADDRESS,
  DNS_ADDRESS_6,
  DNS_READY_PORT,
  forVersions,
  type IpVersions,
  MOST_NODES,
  type NodeLayout,
  nodeLayouts,
  type PodNetwork,
  START_MS,
} from "./layout.ts";
import { makeNetwork } from "./network.ts";
import { openNode } from "./node_space.ts";
import {
  containerdReady,
  importArchive,
  type NodeCluster,
  RunningCluster,
  WAIT_FLAG,
} from "./running.ts";
import { closeSpace, openSpace, type Space, sweepSpaces } from "./space.ts";

export { type NodeCluster, runningCluster } from "./running.ts";

export interface NodeClusterOptions {
  readonly name: string;
  /** Number of nodes, 1 to {@linkcode MOST_NODES}. */
  readonly nodes: number;
  /** True: the cluster goes on after this process. */
  readonly isDetached: boolean;
  /** The first plugin of the pods' network; default: `ptp`. */
  readonly network?: PodNetwork;
  /** Versions of IP of pods and Services; default: 4. */
  readonly versions?: IpVersions;
  /** Archives with images for all nodes. */
  readonly images?: readonly string[];
  /** Ends the start, and removes what was made until then. */
  readonly signal?: AbortSignal;
  progress?(line: string): void;
}

/**
 * Checks name, number of nodes and archives, before programs are built for minutes.
 *
 * @throws MeshError `node-…`
 */
export async function checkOptions(
  { name, nodes, images = [] }: NodeClusterOptions,
): Promise<void> {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new MeshError("node-name", `${JSON.stringify(name)} is no name of a cluster.`, {
      remedy: "Use up to 40 lower case letters, digits and hyphens.",
    });
  }
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > MOST_NODES) {
    throw new MeshError("node-count", `A cluster has 1 to ${MOST_NODES} nodes, not ${nodes}.`);
  }
  for (const archive of images) {
    await Deno.stat(archive).catch((cause) => {
      throw new MeshError("node-image", `The archive ${archive} cannot be read.`, {
        remedy: "Name an archive of images, such as one that `deno task images` makes.",
        cause,
      });
    });
  }
}

/**
 * Starts a cluster and waits until its nodes are ready. What killed runs left is removed first.
 *
 * @throws MeshError `node-…` with a remedy
 */
export async function startNodes(options: NodeClusterOptions): Promise<NodeCluster> {
  const { name, nodes, isDetached, progress = () => {}, signal } = options;
  const { network = "ptp", versions = "4" } = options;
  await checkOptions(options);
  const programs = await nodePrograms(progress, network);
  for (const swept of await sweepSpaces()) progress(`removed what was left of ${swept}`);
  const space = await openSpace(name, isDetached);
  if (space === undefined) {
    throw new MeshError("node-exists", `There is a cluster ${name} already.`, {
      remedy: `Use it, end it with \`deno task cluster down ${name}\`, or choose another name.`,
    });
  }
  try {
    const layouts = nodeLayouts(nodes, versions);
    const started = new Starter(space, programs, layouts, network).start(options);
    return await unlessAborted(started, signal);
  } catch (error) {
    await closeSpace(space);
    throw error;
  }
}

/** The result, or the reason of the signal if that comes first. */
async function unlessAborted<T>(result: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return await result;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
    // A start that goes on after the signal fails at once, as its namespaces are gone.
    if (signal.aborted) result.catch(() => {});
  }
}

/** Starts the parts of a cluster in its namespaces. */
class Starter {
  readonly #space: Space;
  readonly #programs: NodePrograms;
  readonly #nodes: readonly NodeLayout[];
  readonly #network: PodNetwork;

  constructor(
    space: Space,
    programs: NodePrograms,
    nodes: readonly NodeLayout[],
    network: PodNetwork,
  ) {
    this.#space = space;
    this.#programs = programs;
    this.#nodes = nodes;
    this.#network = network;
  }

  async start({ isDetached, images = [] }: NodeClusterOptions): Promise<NodeCluster> {
    const { dir } = this.#space;
    const { cluster: host } = await makeNetwork(this.#space, this.#nodes);
    for (const { name } of this.#nodes) await openNode(this.#space, name);
    await this.#space.launch("etcd", [this.#programs.etcd, ...etcdFlags(dir)]);
    const files = await makeClusterFiles(dir, {
      port: API_PORT,
      host,
      addresses: [
        ...[host, CONTROL_ADDRESS, API_SERVICE_ADDRESS],
        ...[CONTROL_ADDRESS_6, API_SERVICE_ADDRESS_6],
      ],
    });
    const inner = join(dir, "kubeconfig-inside");
    await this.#writeInside("kubeconfig-inside", "admin");
    const containers = Promise.all(this.#nodes.map((node) => this.#startContainerd(node, images)));
    // Not awaited while the API server starts; its failure is told below.
    containers.catch(() => {});
    await this.#startControl(files, inner);
    await containers;
    const cluster = new RunningCluster(this.#space, this.#programs, this.#nodes);
    await cluster.ready("scheduler");
    await Promise.all(this.#nodes.map((node) => this.#startNode(node, files, inner)));
    await this.#startDns(cluster, inner);
    for (const { name } of this.#nodes) await nodeReady(cluster, name);
    if (isDetached) await this.#space.update({ owner: undefined });
    return cluster;
  }

  async #startControl(files: ClusterFiles, inner: string): Promise<void> {
    const programs = this.#programs;
    const launch = (name: string, command: readonly string[]) => this.#space.launch(name, command);
    await launch("apiserver", [
      programs["kube-apiserver"],
      ...serverFlags(files, this.#nodes[0]!.versions),
    ]);
    await serverReady(this.#space, files);
    const manager = managerFlags(files, inner);
    await launch("manager", [programs["kube-controller-manager"], ...manager]);
    await launch("scheduler", [programs["kube-scheduler"], ...accessFlags(inner)]);
  }

  async #startContainerd(node: NodeLayout, images: readonly string[]): Promise<void> {
    const paths = nodePaths(this.#space.dir, node);
    const config = join(paths.dir, "containerd.toml");
    await Deno.writeTextFile(config, containerdConfig(paths, node, this.#programs));
    await Deno.writeTextFile(
      join(paths.dir, "cni/10-pods.conflist"),
      cniConfig(paths, node, this.#network),
    );
    const registry = join(paths.dir, "registries/_default");
    await Deno.mkdir(registry, { recursive: true });
    await Deno.writeTextFile(join(registry, "hosts.toml"), NO_REGISTRY);
    // The shim is looked for on the PATH.
    const path = `PATH=${this.#programs.runtimeDir}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`;
    const command = ["env", path, this.#programs.containerd, "-c", config];
    await this.#space.launch(`${node.name}-containerd`, command, { node: node.name });
    const ctr = [this.#programs.ctr, "-a", paths.socket];
    await containerdReady(this.#space, ctr, node.name);
    const pause = await pauseArchive(this.#programs, paths.dir);
    for (const archive of [pause, ...images]) {
      await importArchive(this.#space, ctr, node.name, archive);
    }
  }

  async #startNode(node: NodeLayout, files: ClusterFiles, inner: string): Promise<void> {
    const { name, address, ipv6, versions } = node;
    const paths = nodePaths(this.#space.dir, node);
    const at = (file: string): string => join(paths.dir, file);
    await issueClient(this.#space.dir, name, `/O=system:nodes/CN=system:node:${name}`);
    const kubeconfig = await this.#writeInside(`kubeconfig-${name}`, name);
    await Deno.writeTextFile(
      at("resolv.conf"),
      `nameserver ${versions === "6" ? DNS_ADDRESS_6 : DNS_ADDRESS}\n`,
    );
    await Deno.writeTextFile(
      at("kubelet.json"),
      kubeletConfig(paths, { cluster: this.#space.record.name, versions }, files),
    );
    await Deno.writeTextFile(at("proxy.json"), proxyConfig(inner, node, this.#network));
    const kubelet = [
      ...[this.#programs.kubelet, `--config=${at("kubelet.json")}`, `--kubeconfig=${kubeconfig}`],
      ...[
        `--root-dir=${at("kubelet")}`,
        // Statistics are read for all control groups of the machine, which takes a quarter of a processor.
        "--housekeeping-interval=1h",
        `--hostname-override=${name}`,
        `--node-ip=${forVersions(versions, address, ipv6?.address ?? "")}`,
      ],
      `--node-labels=topology.kubernetes.io/region=test,topology.kubernetes.io/zone=${name}`,
    ];
    await this.#space.launch(`${name}-kubelet`, kubelet, { node: name });
    const proxy = [this.#programs["kube-proxy"], `--config=${at("proxy.json")}`];
    await this.#space.launch(`${name}-proxy`, proxy, { node: name });
  }

  async #startDns(cluster: NodeCluster, inner: string): Promise<void> {
    const file = join(this.#space.dir, "Corefile");
    await Deno.writeTextFile(file, corefile(inner));
    await this.#space.launch("dns", [this.#programs.coredns, "-conf", file]);
    const list = { apiVersion: "v1", kind: "List", items: dnsObjects(this.#nodes[0]!.versions) };
    const { success, stderr } = await cluster.run(["apply", "-f", "-"], JSON.stringify(list));
    if (!success) throw new Error(`the Service of the name server: ${stderr}`);
    const url = `http://${new URL(cluster.server).hostname}:${DNS_READY_PORT}/ready`;
    try {
      await eventually(`a name server at ${url}`, () => answers(url), START_MS);
    } catch (cause) {
      throw new Error(await this.#space.log("dns"), { cause });
    }
  }

  /** Writes a configuration file for programs inside the cluster's network. */
  async #writeInside(file: string, user: string): Promise<string> {
    const { dir } = this.#space;
    const place = { host: CONTROL_ADDRESS, port: API_PORT };
    await writeKubeconfig(dir, file, place, await certificateOf(dir, user));
    return join(dir, file);
  }
}

async function serverReady(space: Space, { kubeconfig, ca }: ClusterFiles): Promise<void> {
  const { clusters } = JSON.parse(await Deno.readTextFile(kubeconfig));
  using client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(ca)] });
  const url = `${clusters[0].cluster.server}/readyz`;
  try {
    await eventually(`an API server at ${url}`, () => answers(url, client), START_MS);
  } catch (cause) {
    throw new Error(await space.log("apiserver") + await space.log("etcd"), { cause });
  }
}

async function answers(url: string, client?: Deno.HttpClient): Promise<boolean> {
  const answer = await fetch(url, { client, signal: AbortSignal.timeout(2_000) });
  await answer.body?.cancel();
  return answer.ok;
}

async function nodeReady(cluster: NodeCluster, name: string): Promise<void> {
  // One process waits; the taints go after the condition.
  const wait = ["wait", "--for=condition=Ready", `node/${name}`, WAIT_FLAG];
  const path = '{.status.conditions[?(@.type=="Ready")].status} {.spec.taints[*].key}';
  try {
    await eventually(`${name} to be ready`, async () => {
      await cluster.run(wait);
      const { stdout } = await cluster.run(["get", "node", name, "-o", `jsonpath=${path}`]);
      return stdout.trim() === "True";
    }, START_MS);
  } catch (cause) {
    const logs = [`${name}-kubelet`, `${name}-containerd`].map((one) => cluster.space.log(one));
    throw new Error((await Promise.all(logs)).join("\n"), { cause });
  }
}

/** The image of a pod's sandbox, made once for each node. */
async function pauseArchive({ pause }: NodePrograms, dir: string): Promise<string> {
  const archive = join(dir, "pause.tar");
  const files = [{ path: "pause", mode: 0o755, data: await Deno.readFile(pause) }];
  const config = { Entrypoint: ["/pause"], User: "65535:65535" };
  await writeImageArchive({ name: PAUSE_IMAGE, layers: [files], config }, archive);
  return archive;
}
