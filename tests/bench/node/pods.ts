/**
 * Pods of the benchmark: how long they take from being applied to ready.
 *
 * @module
 */
import { listAll, type ListItem, types } from "../../../lib/kit/orch/mod.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { apply, clientOf, deployment, kubectl, workloadContainer } from "../../support/node.ts";

/** Longest wait for pods, ms. */
const READY_MS = 300_000;

/** Pods to time. */
export interface Timed {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  /** The Deployment. */
  readonly objects: readonly unknown[];
}

/** A server that is asked for its readiness each second. */
export function server(namespace: string, name: string, replicas = 1): Timed {
  const container = workloadContainer(["serve", "8080"], {
    ports: [{ containerPort: 8080 }],
    readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
  });
  const objects = [deployment(name, container, { namespace, replicas })];
  return { namespace, name, replicas, objects };
}

/** A gateway by the template of injection. */
export function gateway(namespace: string, name: string): Timed {
  // The API server would always ask a registry for an image without a tag.
  const container = { name: "mesh-proxy", image: "auto", imagePullPolicy: "IfNotPresent" };
  const made = deployment(name, container, { namespace }) as {
    spec: { template: { metadata: Record<string, unknown> } };
  };
  made.spec.template.metadata.annotations = { "inject.mesh.io/templates": "gateway" };
  return { namespace, name, replicas: 1, objects: [made] };
}

interface Pod extends ListItem {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/**
 * Applies pods, waits until all are ready, removes them, and returns the time to ready in ms. It ends when the
 * node has ended their processes, so that these do not compete with the next pods.
 */
export async function timeToReady(cluster: NodeCluster, timed: Timed): Promise<number> {
  const { namespace, name, replicas, objects } = timed;
  using client = await clientOf(cluster);
  const pods = () => listAll<Pod>(client, types.POD, { namespace, labelSelector: `app=${name}` });
  await apply(cluster, ...objects);
  const begin = performance.now();
  await eventually(`${replicas} ready pods of ${name}`, async () => {
    return (await pods()).filter(isReady).length === replicas;
  }, READY_MS);
  const took = performance.now() - begin;
  await kubectl(cluster, ["delete", "deployment", "-n", namespace, name, "--wait=false"]);
  await eventually(`the end of ${name}`, async () => (await pods()).length === 0, READY_MS);
  return took;
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ??
    false;
}

interface Deployed {
  readonly spec: {
    readonly template: {
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly spec: Readonly<Record<string, unknown>>;
    };
  };
  readonly metadata: { readonly namespace: string };
}

/** A further daemon like the deployed one, which serves nobody. */
export function daemon({ metadata: { namespace }, spec }: Deployed): Timed {
  const name = "meshd-further";
  const labels = { app: name };
  const { template } = spec;
  const made = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  return { namespace, name, replicas: 1, objects: [made] };
}
