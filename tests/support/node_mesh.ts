/**
 * The mesh on nodes: the daemon installed as a user does, by manifests and at default settings, and
 * what tests ask of its pods.
 *
 * @module
 */
import { installMesh } from "../../scripts/cluster/mesh/install.ts";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { apply, kubectl, nodeTest, type NodeTestOptions, podsEventually } from "./node.ts";

export { installMesh, SYSTEM } from "../../scripts/cluster/mesh/install.ts";

/** Reads a file of `tests/node/mesh`. */
export function manifest(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`../node/mesh/${name}.yaml`, import.meta.url));
}

/** A test with a cluster of its own in which the mesh is installed. */
export function meshTest(
  name: string,
  fn: (cluster: NodeCluster, t: Deno.TestContext) => Promise<void>,
  options: NodeTestOptions = {},
): void {
  nodeTest(name, async (cluster, t) => {
    await installMesh(cluster);
    await fn(cluster, t);
  }, options);
}

/** Makes a namespace whose pods get proxies. */
export async function injectedNamespace(cluster: NodeCluster, name: string): Promise<void> {
  const metadata = { name, labels: { "mesh-injection": "enabled" } };
  await apply(cluster, { apiVersion: "v1", kind: "Namespace", metadata });
  await podsEventually(`the default account of ${name}`, async () => {
    return (await cluster.run(["get", "-n", name, "serviceaccount", "default"])).success;
  });
}

/** A container in which a program is run. */
export interface PodPlace {
  /** Name of the pod, or `deploy/NAME`. */
  readonly pod: string;
  readonly namespace: string;
  /** Default `app`. */
  readonly container?: string;
}

/** Runs the workload's program in a container; returns its output, else its error. */
export async function inPod(
  cluster: NodeCluster,
  { pod, namespace, container = "app" }: PodPlace,
  ...command: readonly string[]
): Promise<string> {
  const exec = ["exec", "-n", namespace, pod, "-c", container, "--", "/workload", ...command];
  const { stdout, stderr } = await cluster.run(exec);
  return stdout.trim() || stderr.trim();
}

/** A case in a mesh that others share: it has namespaces of its own. */
export interface MeshCase {
  readonly name: string;
  run(cluster: NodeCluster): Promise<void>;
}

/** Cases at a time: pods start by work of the processors. */
const TOGETHER = 4;

/** Runs cases as steps of a test, some of them beside each other. */
export async function runTogether(
  t: Deno.TestContext,
  cluster: NodeCluster,
  cases: readonly MeshCase[],
): Promise<void> {
  const left = [...cases];
  const work = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const { name, run } = one;
      // Steps beside each other cannot tell whose operations they see; the whole test can.
      const unwatched = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };
      await t.step({ name, fn: () => run(cluster), ...unwatched });
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
}

/** The client of `tests/node/mesh/shop.yaml`. */
export const CLIENT: PodPlace = { pod: "deploy/client", namespace: "shop" };

/** A pod without a proxy. */
export const OUTSIDER: PodPlace = { pod: "deploy/outsider", namespace: "default" };

/** Requests by the workload in a container, until the lines of its output are as wanted. */
export async function asks(
  cluster: NodeCluster,
  place: PodPlace,
  get: readonly string[],
  isWanted: (lines: readonly string[]) => boolean,
): Promise<string[]> {
  let lines: string[] = [];
  try {
    // Addresses of Services and configuration arrive a moment after objects and pods are there.
    return await podsEventually(`what ${place.pod} gets from ${get.join(" ")}`, async () => {
      lines = (await inPod(cluster, place, "get", ...get)).split("\n");
      return isWanted(lines) && lines;
    });
  } catch (cause) {
    throw new Error(lines.join("\n"), { cause });
  }
}

/** True if a request had an answer with a status of 200. */
export const isOk = (line: string): boolean => /^200\b/.test(line);

/** True if a connection was refused or closed without an answer. */
export const isClosed = (line: string): boolean => /^error .*(reset|EOF|refused)/.test(line);

/** The caller's identity as the server of `/headers` saw it; empty without mutual TLS. */
export function callerOf(line: string): string {
  const headers = JSON.parse(line.slice("200 ".length));
  const [certificate = ""] = headers["X-Forwarded-Client-Cert"] ?? [];
  return /URI=([^;,]*)/.exec(certificate)?.[1] ?? "";
}

/** A PeerAuthentication for a namespace. */
export function peers(
  namespace: string,
  mode: "STRICT" | "PERMISSIVE",
): Record<string, unknown> {
  return {
    apiVersion: "security.mesh.io/v1",
    kind: "PeerAuthentication",
    metadata: { name: "default", namespace },
    spec: { mtls: { mode } },
  };
}

/**
 * Reads a part of objects by a path of `kubectl`.
 *
 * @param what words of `kubectl get`, such as `pods -l=app=server`
 */
export function read(
  cluster: NodeCluster,
  namespace: string,
  what: string,
  path: string,
): Promise<string> {
  return kubectl(cluster, ["get", "-n", namespace, ...what.split(" "), `-o=jsonpath=${path}`]);
}
