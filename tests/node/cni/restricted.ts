/**
 * Workloads in namespaces under the level `restricted` of Pod Security: no container may have rights over
 * its network.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import {
  apply,
  clientOf,
  deployment,
  podsEventually,
  service,
  workloadContainer,
} from "../../support/node.ts";
import { listAll, type ListItem, types } from "../../../lib/kit/orch/mod.ts";

/** The settings that the level asks of a container. */
export const SECURITY: Readonly<Record<string, unknown>> = {
  runAsNonRoot: true,
  runAsUser: 1000,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

/** A container of the workload as the level allows it. */
export function restrictedContainer(
  args: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return workloadContainer(args, { securityContext: SECURITY, ...more });
}

/** A server, which is ready when it serves. */
export const SERVER: Record<string, unknown> = restrictedContainer(["serve", "8080"], {
  ports: [{ containerPort: 8080 }],
  readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
});

/** Makes a namespace that enforces the level, and whose pods get proxies. */
export async function restrictedNamespace(cluster: NodeCluster, name: string): Promise<void> {
  const labels = {
    "mesh-injection": "enabled",
    "pod-security.kubernetes.io/enforce": "restricted",
    "pod-security.kubernetes.io/enforce-version": "latest",
  };
  await apply(cluster, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  await podsEventually(`the default account of ${name}`, async () => {
    return (await cluster.run(["get", "-n", name, "serviceaccount", "default"])).success;
  });
}

/** A server with its Service, by the name of both. */
export function server(namespace: string, name = "server"): unknown[] {
  return [deployment(name, SERVER, { namespace }), service(name, 80, 8080, namespace)];
}

interface Container {
  readonly name: string;
  readonly securityContext?: {
    readonly privileged?: boolean;
    readonly runAsUser?: number;
    readonly allowPrivilegeEscalation?: boolean;
    readonly capabilities?: { readonly add?: readonly string[] };
  };
}

interface SeenPod extends ListItem {
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
}

/** Asserts that the injected pods of a namespace have no right that others lack. */
export async function requireNoRights(cluster: NodeCluster, namespace: string): Promise<void> {
  using client = await clientOf(cluster);
  const pods = await listAll<SeenPod>(client, types.POD, { namespace });
  assert.ok(pods.length > 0);
  for (const { spec } of pods) {
    const all = [...spec?.initContainers ?? [], ...spec?.containers ?? []];
    const names = all.map(({ name }) => name);
    assert.ok(names.includes("mesh-proxy") && names.includes("mesh-validation"), names.join());
    assert.ok(!names.includes("mesh-init"), names.join());
    for (const { name, securityContext = {} } of all) {
      assert.deepEqual(securityContext.capabilities?.add ?? [], [], name);
      assert.notEqual(securityContext.privileged, true, name);
      assert.notEqual(securityContext.runAsUser, 0, name);
      assert.equal(securityContext.allowPrivilegeEscalation, false, name);
    }
  }
}
