/**
 * Tests with nodes on which pods run.
 *
 * @module
 */
import assert from "node:assert/strict";
import { sleep } from "../../lib/kit/async/mod.ts";
import {
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  listAll,
  loadKubeconfig,
  type OrchClient,
  types,
} from "../../lib/kit/orch/mod.ts";
import { type NodeCluster, startNodes } from "../../scripts/cluster/node/cluster.ts";
import type { IpVersions, PodNetwork } from "../../scripts/cluster/node/layout.ts";
import { WORKLOAD_IMAGE, workloadArchive } from "../../scripts/cluster/node/workload.ts";
import { lackingCniPrograms } from "../../scripts/cluster/cni_programs.ts";
import { lackingNodes } from "../../scripts/cluster/node_programs.ts";
import { eventually } from "../../scripts/harness/mod.ts";

export { WORKLOAD_IMAGE, workloadArchive } from "../../scripts/cluster/node/workload.ts";

const LACKING = lackingNodes();

/**
 * Longest time for what pods must become, in milliseconds. Pods start by work of the processors, which
 * other tests may use, too.
 */
const PODS_MS = 240_000;

/** Time between two questions, in milliseconds: each may be a program that the processors run. */
const PAUSE_MS = 250;

/** Like `eventually`, for conditions of pods, and with fewer questions. */
export function podsEventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
): Promise<T> {
  return eventually(what, async () => {
    const [answer] = await Promise.allSettled([ask()]);
    if (answer.status === "fulfilled" && answer.value !== undefined && answer.value !== false) {
      return answer.value;
    }
    await sleep(PAUSE_MS);
    if (answer.status === "rejected") throw answer.reason;
    return undefined;
  }, PODS_MS);
}

/** Options of {@linkcode nodeTest}. */
export interface NodeTestOptions {
  /** Number of nodes; default 1. */
  readonly nodes?: number;
  /** The first plugin of the pods' network; default `ptp`. */
  readonly network?: PodNetwork;
  /** Versions of IP of pods and Services; default: 4. */
  readonly versions?: IpVersions;
  /** Archives with images beside that of the workload. */
  readonly images?: () => Promise<readonly string[]>;
  /** The reason why the test cannot run here, beside those of nodes. */
  readonly lacking?: string;
}

/** A test that needs what nodes need; skipped, with the reason in its name, where it lacks. */
export function nodeMachineTest(
  name: string,
  fn: (t: Deno.TestContext) => Promise<void>,
  lacking: string | undefined = LACKING,
): void {
  Deno.test({
    name: lacking === undefined ? name : `${name} [${lacking}]`,
    ignore: lacking !== undefined,
    fn,
  });
}

/** A test with a cluster of its own, whose nodes have the image of the workload. */
export function nodeTest(
  name: string,
  fn: (cluster: NodeCluster, t: Deno.TestContext) => Promise<void>,
  { nodes = 1, network, versions, images, lacking: others }: NodeTestOptions = {},
): void {
  const lacking = LACKING ?? others ?? (network === "bridge" ? lackingCniPrograms() : undefined);
  nodeMachineTest(name, async (t) => {
    await using folder = await temporaryFolder();
    const workload = await workloadArchive(folder.path);
    await using cluster = await startNodes({
      name: clusterName(),
      nodes,
      network,
      versions,
      isDetached: false,
      images: [workload, ...await images?.() ?? []],
    });
    await fn(cluster, t);
  }, lacking);
}

/** A name that no other running test has. */
export function clusterName(): string {
  return `test-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
}

/** A folder that is removed at the end. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "mesh-node-" });
  return {
    path,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** Runs `kubectl`, which must succeed, and returns its output. */
export async function kubectl(
  cluster: NodeCluster,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { success, stdout, stderr } = await cluster.run(args, input);
  assert.ok(success, `kubectl ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** Applies objects. */
export function apply(cluster: NodeCluster, ...items: readonly unknown[]): Promise<string> {
  const list = { apiVersion: "v1", kind: "List", items };
  return kubectl(cluster, ["apply", "-f", "-"], JSON.stringify(list));
}

/** The fields of a pod that tell if it is ready. */
interface Pod {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;
}

/** A client of the API server as its administrator. */
export async function clientOf(cluster: NodeCluster): Promise<OrchClient> {
  const config = await loadKubeconfig([cluster.kubeconfig]);
  return createClient(accessOf(config, { allowed: ALL_CREDENTIAL_OPTIONS }));
}

/** Waits until all pods of a label are ready, else tells their events. */
export async function podsReady(
  cluster: NodeCluster,
  selector: string,
  { namespace = "default", count = 1 }: { readonly namespace?: string; readonly count?: number } =
    {},
): Promise<void> {
  using client = await clientOf(cluster);
  try {
    await podsEventually(`${count} ready pods ${selector}`, async () => {
      const pods = await listAll<Pod>(client, types.POD, { namespace, labelSelector: selector });
      return pods.length === count && pods.every(isReady);
    });
  } catch (cause) {
    const events = await cluster.run([
      "get",
      "events",
      "-n",
      namespace,
      "--sort-by=.lastTimestamp",
    ]);
    const pods = await cluster.run(["get", "pods", "-n", namespace, "-o=wide"]);
    throw new Error(`${pods.stdout}\n${events.stdout.slice(-3000)}`, { cause });
  }
}

/** A container that runs the workload. */
export function workloadContainer(
  args: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { name: "app", image: WORKLOAD_IMAGE, imagePullPolicy: "Never", args, ...more };
}

/** Options of the pods of a controller. */
export interface PodsOptions {
  readonly replicas?: number;
  readonly namespace?: string;
  /** Further fields of the pods. */
  readonly pod?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Labels beside `app`. */
  readonly labels?: Readonly<Record<string, string>>;
}

type Containers = Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];

function controller(
  kind: string,
  name: string,
  containers: Containers,
  { replicas = 1, namespace = "default", pod = {}, annotations, labels = {} }: PodsOptions,
): { readonly spec: Record<string, unknown> } & Record<string, unknown> {
  const selector = { matchLabels: { app: name } };
  const metadata = { labels: { app: name, ...labels }, annotations };
  const spec = { terminationGracePeriodSeconds: 2, containers: [containers].flat(), ...pod };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace },
    spec: { replicas, selector, template: { metadata, spec } },
  };
}

export function deployment(
  name: string,
  containers: Containers,
  options: PodsOptions = {},
): Record<string, unknown> {
  return controller("Deployment", name, containers, options);
}

/** A StatefulSet with the Service of its name. */
export function statefulSet(
  name: string,
  containers: Containers,
  options: PodsOptions = {},
): Record<string, unknown> {
  const { spec, ...rest } = controller("StatefulSet", name, containers, options);
  return { ...rest, spec: { ...spec, serviceName: name, podManagementPolicy: "Parallel" } };
}

/** A Service of the pods with the label `app` of its name. */
export function serviceOf(
  name: string,
  ports: readonly Readonly<Record<string, unknown>>[],
  { namespace = "default", spec = {} }: {
    readonly namespace?: string;
    readonly spec?: Readonly<Record<string, unknown>>;
  } = {},
): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports, ...spec },
  };
}

/** Like {@linkcode serviceOf}, with one port of HTTP. */
export function service(
  name: string,
  port: number,
  targetPort: number,
  namespace = "default",
): Record<string, unknown> {
  return serviceOf(name, [{ name: "http", port, targetPort }], { namespace });
}
