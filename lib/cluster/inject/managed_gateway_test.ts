import assert from "node:assert/strict";
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import {
  defaultInjectionConfig,
  gatewayObjects,
  type Json,
  type ManagedGateway,
  parseInjectionConfig,
} from "./mod.ts";

const GATEWAY: ManagedGateway = {
  name: "front",
  namespace: "shop",
  uid: "1-2",
  deploymentName: "front-mesh",
  serviceAccount: "front-mesh",
  gatewayNameLabel: "gateway.networking.k8s.io/gateway-name",
  ports: [{ name: "http", port: 80, protocol: "TCP", appProtocol: "http" }],
  serviceType: "LoadBalancer",
  infrastructureLabels: { team: "a", "gateway.mesh.io/managed": "somebody" },
  infrastructureAnnotations: { "gateway.mesh.io/name-override": "x", own: "y: {}" },
  revision: "",
  kubeVersion: 136,
  mesh: defaultMeshConfig(),
};

/** The fields of an object that the tests read. */
interface Rendered {
  readonly kind: string;
  readonly metadata: Readonly<
    Record<"name" | "annotations" | "labels" | "ownerReferences", unknown>
  >;
  readonly spec: {
    readonly loadBalancerIP?: string;
    readonly ports?: unknown;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

function objectsOf(input: Partial<ManagedGateway> = {}, values = ""): Map<string, Rendered> {
  const config = values === "" ? defaultInjectionConfig() : parseInjectionConfig({
    config: "",
    values,
  });
  const objects: readonly Json[] = gatewayObjects({ ...GATEWAY, ...input }, config);
  const plain: Rendered[] = JSON.parse(JSON.stringify(objects));
  return new Map(plain.map((one) => [one.kind, one]));
}

Deno.test("the objects of a gateway have its metadata, and labels of its own precede", () => {
  const objects = objectsOf();
  assert.deepEqual([...objects.keys()], [
    "ServiceAccount",
    "Deployment",
    "Service",
    "HorizontalPodAutoscaler",
    "PodDisruptionBudget",
  ]);
  for (const { metadata } of objects.values()) {
    assert.equal(metadata.name, "front-mesh");
    assert.deepEqual(metadata.annotations, { own: "y: {}" });
    assert.deepEqual(metadata.labels, {
      team: "a",
      "gateway.networking.k8s.io/gateway-name": "front",
      "gateway.mesh.io/managed": "mesh.io-gateway-controller",
    });
    assert.deepEqual(metadata.ownerReferences, [
      { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", name: "front", uid: "1-2" },
    ]);
  }
  const { template } = objects.get("Deployment")!.spec;
  assert.equal(template.metadata.labels["sidecar.mesh.io/inject"], "false");
  assert.deepEqual(template.spec.containers[0]!.args.slice(0, 2), ["proxy", "router"]);
});

Deno.test("variables of the proxy name the gateway, each once", () => {
  const network = { "topology.mesh.io/network": "east" };
  const objects = objectsOf(
    { infrastructureLabels: network },
    JSON.stringify({ global: { network: "west" } }),
  );
  const { env } = objects.get("Deployment")!.spec.template.spec.containers[0]!;
  const names = env.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)]);
  const valueOf = (name: string) => env[names.indexOf(name)]?.value;
  assert.equal(valueOf("MESH_META_NETWORK"), "east");
  assert.equal(valueOf("MESH_META_WORKLOAD_NAME"), "front-mesh");
  assert.equal(
    valueOf("MESH_META_OWNER"),
    "kubernetes://apis/apps/v1/namespaces/shop/deployments/front-mesh",
  );
});

Deno.test("a Service asks for the address of its Gateway", () => {
  const spec = objectsOf({ loadBalancerIP: "192.0.2.7" }).get("Service")!.spec;
  assert.equal(spec.loadBalancerIP, "192.0.2.7");
  assert.deepEqual(spec.ports, [
    { name: "http", port: 80, protocol: "TCP", appProtocol: "http" },
  ]);
  assert.equal("loadBalancerIP" in objectsOf().get("Service")!.spec, false);
});
