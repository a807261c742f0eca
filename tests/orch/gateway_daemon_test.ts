/**
 * The daemon with a real API server and the Gateway API: the status of its objects at the daemon's usual
 * settings, and what remains while the kinds are not defined.
 */
import assert from "node:assert/strict";
import type { GatewayApiObjectStatus } from "../../lib/cluster/controllers/mod.ts";
import {
  type Cluster,
  type Daemon,
  eventually,
  freePorts,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import {
  applyGatewayApi,
  lackingGatewayApiDefinitions,
  removeGatewayApi,
} from "../support/gateway_api.ts";
import { startTestLoadBalancer } from "../support/load_balancer.ts";

type Conditions = GatewayApiObjectStatus["conditions"];

interface Seen {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly status?: Omit<GatewayApiObjectStatus, "listeners"> & {
    readonly addresses?: readonly { readonly value: string }[];
    readonly listeners?: readonly {
      readonly attachedRoutes: number;
      readonly conditions: Conditions;
    }[];
  };
}

const GROUP = "gateway.networking.k8s.io";
const KINDS = "gatewayclasses,gateways,httproutes";

const OBJECTS = `apiVersion: ${GROUP}/v1
kind: Gateway
metadata: {name: front, namespace: default}
spec:
  gatewayClassName: mesh
  listeners: [{name: web, port: 80, protocol: HTTP}]
---
apiVersion: v1
kind: Service
metadata: {name: echo, namespace: default}
spec: {ports: [{port: 80, name: http}]}
---
apiVersion: ${GROUP}/v1
kind: HTTPRoute
metadata: {name: shop, namespace: default}
spec:
  parentRefs: [{name: front}]
  rules: [{backendRefs: [{name: echo, port: 80}]}]
---
apiVersion: ${GROUP}/v1
kind: HTTPRoute
metadata: {name: lost, namespace: default}
spec:
  parentRefs: [{name: front}]
  rules: [{backendRefs: [{name: nobody, port: 80}]}]
`;

/** Endpoints of the proxies, which no node runs. */
const ENDPOINTS = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: front-mesh-proxies
  namespace: default
  labels: {kubernetes.io/service-name: front-mesh}
addressType: IPv4
ports: [{name: http, port: 80}]
endpoints: [{addresses: [10.9.9.9], conditions: {ready: true}}]
`;

function entry(name: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: default}
spec:
  hosts: [${name}.test]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: STATIC
  endpoints: [{address: 10.1.1.1}]
`;
}

function startOn(cluster: Cluster, env: Record<string, string> = {}): Promise<Daemon> {
  const [secured] = freePorts(1);
  const args = [`--orchconfig=${cluster.files.daemonKubeconfig}`];
  return startDaemon({ secured: secured!, configDir: "", env, args });
}

async function kubectl(cluster: Cluster, args: readonly string[], input?: string): Promise<string> {
  const { success, text } = await cluster.run(args, input);
  assert.ok(success, text);
  return text;
}

async function get(cluster: Cluster, kind: string, name: string): Promise<Seen | undefined> {
  const { success, text } = await cluster.run(["get", kind, name, "-n", "default", "-o=json"]);
  // Warnings of the server, such as that a version is old, stand beside the object.
  return success ? JSON.parse(text.replace(/^Warning: .*$/m, "")) as Seen : undefined;
}

/** `TYPE:REASON` of a condition that holds, `!TYPE:REASON` otherwise, with the generation. */
function textOf(conditions: Conditions = []): string {
  return conditions.map(({ type, status, reason, observedGeneration }) =>
    `${status === "True" ? "" : "!"}${type}:${reason}@${observedGeneration}`
  ).join(" ");
}

async function routeText(cluster: Cluster, name: string): Promise<string> {
  const route = await get(cluster, "httproute", name);
  return (route?.status?.parents ?? []).map(({ conditions }) => textOf(conditions)).join("; ");
}

/** Waits for a text. */
async function becomes(
  what: string,
  text: () => Promise<string>,
  expected: string,
): Promise<void> {
  let last = "";
  await eventually(what, async () => (last = await text()) === expected).catch((cause) => {
    throw new Error(`${what}: ${last}`, { cause });
  });
}

/** The daemon is ready, its sources are sound, and it has these ServiceEntries. */
async function serves(daemon: Daemon, names: readonly string[]): Promise<void> {
  type View = { readonly metadata: { readonly name: string } };
  await eventually(`the entries ${names}`, async () => {
    const all = await daemon.debug<View[]>("configz?resource=ServiceEntry");
    return `${all.map(({ metadata: { name } }) => name).sort()}` === `${names}`;
  });
  const ready = await fetch(`${daemon.http}/ready`);
  await ready.body?.cancel();
  assert.equal(ready.status, 200);
  const metrics = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  assert.match(metrics, /^mesh_source_healthy\{source="cluster\/Orchestrator"\} 1$/m);
}

async function versions(cluster: Cluster): Promise<Map<string, string>> {
  const text = await kubectl(cluster, ["get", KINDS, "-A", "-o=json"]);
  const { items } = JSON.parse(text) as { items: (Seen & { kind: string })[] };
  return new Map(
    items.map(({ kind, metadata: { name, resourceVersion } }) => [
      `${kind} ${name}`,
      resourceVersion,
    ]),
  );
}

async function writesStatus(cluster: Cluster): Promise<void> {
  await kubectl(cluster, ["apply", "-f", "-"], OBJECTS);
  await eventually("the Service", () => get(cluster, "service", "front-mesh"));
  await becomes(
    "proxies are awaited",
    async () => textOf((await get(cluster, "gateway", "front"))?.status?.conditions),
    "Accepted:Accepted@1 !Programmed:Pending@1",
  );
  await kubectl(cluster, ["apply", "-f", "-"], ENDPOINTS);
  await becomes(
    "conditions of the Gateway",
    async () => textOf((await get(cluster, "gateway", "front"))?.status?.conditions),
    "Accepted:Accepted@1 Programmed:Programmed@1",
  );
  await becomes(
    "the number of routes",
    async () => {
      const { listeners = [] } = (await get(cluster, "gateway", "front"))?.status ?? {};
      return listeners.map(({ attachedRoutes }) => attachedRoutes).join();
    },
    "2",
  );
  const status = (await get(cluster, "gateway", "front"))?.status;
  assert.match(textOf(status?.listeners?.[0]?.conditions), /(^| )Programmed:Programmed@1/);
  assert.match(textOf(status?.listeners?.[0]?.conditions), /(^| )ResolvedRefs:ResolvedRefs@1/);
  assert.equal(status?.addresses?.length, 1);
  await becomes(
    "conditions of a route",
    () => routeText(cluster, "shop"),
    "Accepted:Accepted@1 ResolvedRefs:ResolvedRefs@1",
  );
  await becomes(
    "conditions of a route without its backend",
    () => routeText(cluster, "lost"),
    "Accepted:Accepted@1 !ResolvedRefs:BackendNotFound@1",
  );
  const ofClass = async () =>
    textOf((await get(cluster, "gatewayclass", "mesh"))?.status?.conditions);
  const accepted = "Accepted:Accepted@1";
  for (const [version, condition] of VERSIONS) {
    const annotation = `gateway.networking.k8s.io/bundle-version=${version}`;
    const definition = `gatewayclasses.${GROUP}`;
    await kubectl(cluster, ["annotate", "crd", definition, "--overwrite", annotation]);
    await becomes(`definitions ${version}`, ofClass, `${accepted} ${condition}@1`);
  }
}

/** Versions of the definitions, with what a class says about each. */
const VERSIONS = [
  ["v9.0.0", "!SupportedVersion:UnsupportedVersion"],
  ["v1.6.3", "SupportedVersion:SupportedVersion"],
] as const;

async function writesNothingElse(cluster: Cluster, daemon: Daemon): Promise<void> {
  const before = await versions(cluster);
  await kubectl(cluster, ["apply", "-f", "-"], entry("second"));
  await serves(daemon, ["first", "second"]);
  // A change of one route is written after all passes before.
  const spec = '{"spec":{"hostnames":["a.example.org"]}}';
  await kubectl(cluster, ["patch", "httproute", "shop", "--type=merge", "-p", spec]);
  await becomes(
    "the new generation",
    () => routeText(cluster, "shop"),
    "Accepted:Accepted@2 ResolvedRefs:ResolvedRefs@2",
  );
  const changed = [...await versions(cluster)].filter(([key, one]) => before.get(key) !== one);
  assert.deepEqual(changed.map(([key]) => key), ["HTTPRoute shop"]);
}

clusterTest(
  "the daemon writes the status of the Gateway API, whether its kinds are there or not",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await using _ = await startTestLoadBalancer(client);
    await applyDefinitions(client);
    await kubectl(cluster, ["apply", "-f", "-"], entry("first"));
    const daemons = new AsyncDisposableStack();
    await using _daemons = daemons;
    const first = await startOn(cluster);
    await using second = await startOn(cluster);
    daemons.use(first);
    await t.step("without the kinds, all else is served", async () => {
      await serves(first, ["first"]);
      await serves(second, ["first"]);
    });
    await t.step("once they are defined, status is written", async () => {
      await applyGatewayApi(cluster);
      await writesStatus(cluster);
    });
    await t.step("an unrelated change writes nothing", () => writesNothingElse(cluster, first));
    await t.step("another replica goes on", async () => {
      await daemons.disposeAsync();
      const spec = '{"spec":{"rules":[{"backendRefs":[{"name":"nobody","port":80}]}]}}';
      await kubectl(cluster, ["patch", "httproute", "shop", "--type=merge", "-p", spec]);
      await becomes(
        "status by the other daemon",
        () => routeText(cluster, "shop"),
        "Accepted:Accepted@3 !ResolvedRefs:BackendNotFound@3",
      );
    });
    await t.step("once they are removed, all else is served", async () => {
      await removeGatewayApi(cluster);
      await kubectl(cluster, ["apply", "-f", "-"], entry("third"));
      await serves(second, ["first", "second", "third"]);
      type Absent = { readonly resources: { readonly resource: string; absent: boolean }[] };
      await eventually("absent kinds", async () => {
        const [{ resources } = { resources: [] }] = await second.debug<Absent[]>("clusterz");
        const own = resources.filter(({ resource }) => resource.endsWith(GROUP));
        return own.length > 0 && own.every(({ absent }) => absent);
      });
    });
    await t.step("defined again, they have a status again", async () => {
      await applyGatewayApi(cluster);
      await kubectl(cluster, ["apply", "-f", "-"], OBJECTS);
      await becomes(
        "conditions of the route",
        () => routeText(cluster, "shop"),
        "Accepted:Accepted@1 ResolvedRefs:ResolvedRefs@1",
      );
    });
  },
  { controllers: true, missing: lackingGatewayApiDefinitions() },
);

const TCP = `apiVersion: ${GROUP}/v1alpha2
kind: TCPRoute
metadata: {name: tcp, namespace: default}
spec:
  parentRefs: [{name: front}]
  rules: [{backendRefs: [{name: nobody, port: 80}]}]
`;

/** Names of the leases, which controllers have. */
async function leases(cluster: Cluster): Promise<string[]> {
  const text = await kubectl(cluster, ["get", "leases", "-n", "mesh-system", "-o=json"]);
  const { items } = JSON.parse(text) as { items: Seen[] };
  return items.map(({ metadata: { name } }) => name);
}

/** Resources of the Gateway API that a daemon follows, with their state. */
async function followed(daemon: Daemon): Promise<Map<string, boolean>> {
  type Cluster = { readonly resources: { readonly resource: string; readonly absent: boolean }[] };
  const [{ resources } = { resources: [] }] = await daemon.debug<Cluster[]>("clusterz");
  return new Map(
    resources.filter(({ resource }) => resource.endsWith(GROUP))
      .map(({ resource, absent }) => [resource, absent]),
  );
}

clusterTest("variables of the Gateway API switch its parts", async (cluster, t) => {
  await applyGatewayApi(cluster, "experimental");
  // A server that has TCPRoutes only in an alpha version.
  const served = '[{"op":"replace","path":"/spec/versions/0/served","value":false}]';
  const definition = `crd/tcproutes.${GROUP}`;
  await kubectl(cluster, ["patch", definition, "--type=json", "-p", served]);
  const [main, ...listeners] = OBJECTS.split("listeners: ");
  const tcp = `${main}listeners: [{name: tcp, port: 90, protocol: TCP}]\n---\n${
    listeners.join("").split("---\n").slice(1).join("---\n")
  }`;
  await eventually(
    "the served version",
    async () => (await cluster.run(["apply", "-f", "-"], TCP)).success,
  );
  await kubectl(cluster, ["apply", "-f", "-"], tcp);
  const tcpText = async () => {
    const route = await get(cluster, `tcproutes.v1alpha2.${GROUP}`, "tcp");
    return (route?.status?.parents ?? []).map(({ conditions }) => textOf(conditions)).join("; ");
  };

  await t.step("PILOT_ENABLE_GATEWAY_API=false: nothing is watched or written", async () => {
    await using daemon = await startOn(cluster, { PILOT_ENABLE_GATEWAY_API: "false" });
    await eventually(
      "a lease",
      async () => (await leases(cluster)).includes("mesh-leader"),
    );
    assert.deepEqual([...await followed(daemon)], []);
    const names = (await leases(cluster)).filter((name) => name.includes("gateway"));
    assert.deepEqual(names, []);
  });
  await t.step("PILOT_ENABLE_GATEWAY_API_STATUS=false: no status is written", async () => {
    await using daemon = await startOn(cluster, { PILOT_ENABLE_GATEWAY_API_STATUS: "false" });
    await eventually("the class", () => get(cluster, "gatewayclass", "mesh"));
    assert.equal((await followed(daemon)).get(`httproutes.${GROUP}`), false);
    assert.ok(!(await leases(cluster)).includes("mesh-gateway-status-leader"));
    assert.equal(await routeText(cluster, "shop"), "");
  });
  await t.step("alpha versions are not read by default", async () => {
    await using daemon = await startOn(cluster);
    await becomes(
      "the stable route",
      () => routeText(cluster, "shop"),
      "!Accepted:NotAllowedByListeners@1 ResolvedRefs:ResolvedRefs@1",
    );
    assert.equal((await followed(daemon)).get(`tcproutes.${GROUP}`), true);
    assert.equal(await tcpText(), "");
  });
  await t.step("PILOT_ENABLE_ALPHA_GATEWAY_API=true: they are", async () => {
    await using daemon = await startOn(cluster, { PILOT_ENABLE_ALPHA_GATEWAY_API: "true" });
    await becomes(
      "the alpha route",
      tcpText,
      "Accepted:Accepted@1 !ResolvedRefs:BackendNotFound@1",
    );
    assert.equal((await followed(daemon)).get(`tcproutes.${GROUP}`), false);
  });
  await t.step("names of controller and class", async () => {
    const controller = '{"spec":{"controllerName":"example.com/edge"}}';
    await kubectl(cluster, ["delete", "gatewayclass", "mesh"]);
    await using _ = await startOn(cluster, {
      PILOT_GATEWAY_API_CONTROLLER_NAME: "example.com/edge",
      PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME: "edge",
    });
    await eventually("the class", () => get(cluster, "gatewayclass", "edge"));
    await kubectl(
      cluster,
      ["patch", "gateway", "front", "--type=merge", "-p", '{"spec":{"gatewayClassName":"edge"}}'],
    );
    await eventually("an entry under the name", async () => {
      const parents = (await get(cluster, "httproute", "shop"))?.status?.parents ?? [];
      return parents.some(({ controllerName }) => controller.includes(controllerName));
    });
  });
}, { missing: lackingGatewayApiDefinitions() });
