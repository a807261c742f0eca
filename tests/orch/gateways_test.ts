/**
 * The controller of Gateways on a real API server: what it creates, repairs, removes and leaves alone.
 * The daemon has its documented roles only.
 */
import assert from "node:assert/strict";
import {
  type Cluster,
  type Daemon,
  eventually,
  freePorts,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { startTestLoadBalancer } from "../support/load_balancer.ts";
import { applyGatewayApi, lackingGatewayApiDefinitions } from "../support/gateway_api.ts";

/** The fields of objects of several kinds that the tests read. */
interface Seen {
  readonly metadata: Readonly<Record<"labels" | "annotations", Readonly<Record<string, string>>>>;
  readonly spec: {
    readonly controllerName?: string;
    readonly clusterIP?: string;
    readonly maxReplicas?: number;
    readonly ports: readonly { readonly port: number }[];
    readonly replicas?: number;
    readonly type?: string;
  };
  readonly status: {
    readonly loadBalancer: { readonly ingress?: readonly { readonly ip: string }[] };
  };
}

/** Changes of {@link GATEWAY}. */
interface Changes {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

const GATEWAY = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "Gateway",
  metadata: { name: "front", namespace: "default" },
  spec: {
    gatewayClassName: "mesh",
    infrastructure: { labels: { team: "a" }, annotations: { note: "b" } },
    listeners: [{ name: "web", port: 80, protocol: "HTTP" }],
  },
};

function startOn(cluster: Cluster, env: Record<string, string> = {}): Promise<Daemon> {
  const [secured] = freePorts(1);
  return startDaemon({
    secured: secured!,
    configDir: "",
    env,
    args: [`--orchconfig=${cluster.files.daemonKubeconfig}`, "--httpsAddr="],
  });
}

async function apply(cluster: Cluster, ...items: readonly unknown[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const { success, text } = await cluster.run(["apply", "-f", "-"], list);
  assert.ok(success, text);
}

async function read(cluster: Cluster, kind: string, name: string): Promise<Seen | undefined> {
  const { success, text } = await cluster.run(["get", kind, name, "-o=json"]);
  return success ? JSON.parse(text) : undefined;
}

async function kubectl(cluster: Cluster, ...args: readonly string[]): Promise<void> {
  const { success, text } = await cluster.run(args);
  assert.ok(success, text);
}

/** Waits until an object exists and meets a condition. */
function when(
  cluster: Cluster,
  kind: string,
  name: string,
  is: (object: Seen) => boolean = () => true,
): Promise<Seen> {
  return eventually(`${kind} ${name}`, async () => {
    const object = await read(cluster, kind, name);
    return object !== undefined && is(object) ? object : undefined;
  });
}

async function createsAndRepairs(cluster: Cluster): Promise<void> {
  const remote = await when(cluster, "gatewayclass", "mesh-remote");
  assert.equal(remote.spec.controllerName, "mesh.io/unmanaged-gateway");
  await apply(cluster, GATEWAY);
  const deployment = await when(cluster, "deployment", "front-mesh");
  assert.equal(deployment.metadata.labels.team, "a");
  assert.equal(deployment.metadata.annotations.note, "b");
  assert.equal(deployment.metadata.labels["gateway.networking.k8s.io/gateway-class-name"], "mesh");
  await when(cluster, "serviceaccount", "front-mesh");
  const service = await when(cluster, "service", "front-mesh");
  assert.equal(service.spec.type, "LoadBalancer");
  assert.deepEqual(service.spec.ports.map(({ port }) => port), [15021, 80]);
  await when(
    cluster,
    "service",
    "front-mesh",
    ({ spec, status }) => status.loadBalancer.ingress?.[0]?.ip === spec.clusterIP,
  );
  await kubectl(cluster, "scale", "deployment/front-mesh", "--replicas=3");
  await kubectl(cluster, "patch", "service", "front-mesh", "-p", '{"spec":{"type":"ClusterIP"}}');
  await kubectl(cluster, "label", "deployment", "front-mesh", "gateway.mesh.io/managed-");
  await when(cluster, "service", "front-mesh", ({ spec }) => spec.type === "LoadBalancer");
  const repaired = await when(
    cluster,
    "deployment",
    "front-mesh",
    ({ metadata: { labels } }) => labels["gateway.mesh.io/managed"] !== undefined,
  );
  assert.equal(repaired.spec.replicas, 3, "fields of others stay");
}

async function followsParameters(cluster: Cluster): Promise<void> {
  const parametersRef = { group: "", kind: "ConfigMap", name: "more" };
  const infrastructure = { ...GATEWAY.spec.infrastructure, parametersRef };
  await apply(cluster, { ...GATEWAY, spec: { ...GATEWAY.spec, infrastructure } });
  const parameters = (data: Record<string, string>) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "more", namespace: "default" },
    data,
  });
  const budget = "spec: {minAvailable: 1}";
  await apply(
    cluster,
    parameters({ podDisruptionBudget: budget, service: "spec: {type: NodePort}" }),
  );
  await when(cluster, "poddisruptionbudget", "front-mesh");
  await when(cluster, "service", "front-mesh", ({ spec }) => spec.type === "NodePort");
  await apply(cluster, parameters({ horizontalPodAutoscaler: "spec: {maxReplicas: 4}" }));
  await when(cluster, "hpa", "front-mesh", ({ spec }) => spec.maxReplicas === 4);
  await eventually(
    "no disruption budget",
    async () => await read(cluster, "poddisruptionbudget", "front-mesh") === undefined,
  );
  await when(cluster, "service", "front-mesh", ({ spec }) => spec.type === "LoadBalancer");
}

async function leavesOthersAlone(cluster: Cluster, daemon: Daemon): Promise<void> {
  const own = (name: string, more: Changes = {}) => ({
    ...GATEWAY,
    metadata: { ...GATEWAY.metadata, name, ...more.metadata },
    spec: { ...GATEWAY.spec, ...more.spec },
  });
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "taken-mesh", namespace: "default", labels: { mine: "true" } },
    spec: { ports: [{ port: 7 }] },
  };
  await apply(cluster, service);
  await apply(
    cluster,
    own("taken"),
    own("manual", { spec: { addresses: [{ type: "Hostname", value: "a.example" }] } }),
    own("remote", { spec: { gatewayClassName: "mesh-remote" } }),
    own("blue", { metadata: { labels: { "mesh.io/rev": "blue" } } }),
    own("last"),
  );
  await when(cluster, "service", "last-mesh");
  await eventually(
    "a warning",
    () =>
      Promise.resolve(
        daemon.program.output().includes("Service taken-mesh exists and belongs to somebody else"),
      ),
  );
  assert.equal((await read(cluster, "service", "taken-mesh"))?.spec.ports[0]?.port, 7);
  for (const name of ["manual-mesh", "remote-mesh-remote", "blue-mesh"]) {
    assert.equal(await read(cluster, "deployment", name), undefined, name);
  }
}

async function removes(cluster: Cluster): Promise<void> {
  await kubectl(cluster, "delete", "gateway", "front");
  await eventually("no objects of the Gateway", async () => {
    const found = await Promise.all(
      ["deployment", "service", "serviceaccount", "hpa"].map((kind) =>
        read(cluster, kind, "front-mesh")
      ),
    );
    return found.every((one) => one === undefined);
  });
}

clusterTest("Gateways get what runs them, and lose it with them", async (cluster, t) => {
  await applyGatewayApi(cluster);
  {
    await using _ = await startOn(cluster, {
      PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME: "edge",
      PILOT_GATEWAY_API_CONTROLLER_NAME: "example.com/edge",
      PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER: "false",
    });
    const edge = await when(cluster, "gatewayclass", "edge");
    assert.equal(edge.spec.controllerName, "example.com/edge");
  }
  await kubectl(cluster, "delete", "gatewayclass", "mesh-remote");
  {
    await using _ = await startOn(cluster, {
      PILOT_GATEWAY_API_CONTROLLER_NAME: "example.com/edge",
      PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER: "false",
    });
    const spec = { ...GATEWAY.spec, gatewayClassName: "edge" };
    await apply(cluster, { ...GATEWAY, metadata: { ...GATEWAY.metadata, name: "of" }, spec });
    await when(cluster, "deployment", "of-edge");
    assert.equal(await read(cluster, "gatewayclass", "mesh-remote"), undefined);
  }
  using client = await adminClient(cluster);
  await using _ = await startTestLoadBalancer(client);
  await using daemon = await startOn(cluster);
  await t.step("objects are created and repaired", () => createsAndRepairs(cluster));
  await t.step("parameters are followed", () => followsParameters(cluster));
  await t.step("objects of others stay", () => leavesOthersAlone(cluster, daemon));
  await t.step("objects are removed", () => removes(cluster));
}, { controllers: true, missing: lackingGatewayApiDefinitions() });
