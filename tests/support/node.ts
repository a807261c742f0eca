/**
 * Tests with nodes on which pods run.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type NodeCluster, startNodes } from "../../scripts/cluster/node/cluster.ts";
import { WORKLOAD_IMAGE, workloadArchive } from "../../scripts/cluster/node/workload.ts";
import { lackingNodes } from "../../scripts/cluster/node_programs.ts";
import { eventually } from "../../scripts/harness/mod.ts";

export { WORKLOAD_IMAGE, workloadArchive } from "../../scripts/cluster/node/workload.ts";

const LACKING = lackingNodes();

/** Options of {@linkcode nodeTest}. */
export interface NodeTestOptions {
  /** Number of nodes; default 1. */
  readonly nodes?: number;
  /** Archives with images beside that of the workload. */
  readonly images?: () => Promise<readonly string[]>;
}

/** A test that needs what nodes need; skipped, with the reason in its name, where it lacks. */
export function nodeMachineTest(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({
    name: LACKING === undefined ? name : `${name} [${LACKING}]`,
    ignore: LACKING !== undefined,
    fn,
  });
}

/** A test with a cluster of its own, whose nodes have the image of the workload. */
export function nodeTest(
  name: string,
  fn: (cluster: NodeCluster, t: Deno.TestContext) => Promise<void>,
  { nodes = 1, images }: NodeTestOptions = {},
): void {
  nodeMachineTest(name, async (t) => {
    await using folder = await temporaryFolder();
    const workload = await workloadArchive(folder.path);
    await using cluster = await startNodes({
      name: clusterName(),
      nodes,
      isDetached: false,
      images: [workload, ...await images?.() ?? []],
    });
    await fn(cluster, t);
  });
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

/** Waits until all pods of a label are ready, else tells their events. */
export async function podsReady(
  cluster: NodeCluster,
  selector: string,
  { namespace = "default", count = 1 }: { readonly namespace?: string; readonly count?: number } =
    {},
): Promise<void> {
  const path = '{range .items[*]}{.status.conditions[?(@.type=="Ready")].status} {end}';
  const get = ["get", "pods", "-n", namespace, "-l", selector, `-o=jsonpath=${path}`];
  try {
    await eventually(`${count} ready pods ${selector}`, async () => {
      const states = (await cluster.run(get)).stdout.trim().split(/\s+/);
      return states.length === count && states.every((state) => state === "True");
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

/** A Deployment of one container. */
export function deployment(
  name: string,
  container: Readonly<Record<string, unknown>>,
  { replicas = 1, namespace = "default", pod = {} }: {
    readonly replicas?: number;
    readonly namespace?: string;
    /** Further fields of the pods. */
    readonly pod?: Readonly<Record<string, unknown>>;
  } = {},
): Record<string, unknown> {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 2, containers: [container], ...pod },
      },
    },
  };
}

/** A Service of the pods with the label `app` of its name. */
export function service(
  name: string,
  port: number,
  targetPort: number,
  namespace = "default",
): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports: [{ name: "http", port, targetPort }] },
  };
}
