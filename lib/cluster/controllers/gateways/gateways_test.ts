import assert from "node:assert/strict";
import type { OrchObject } from "../../../kit/orch/mod.ts";
import { defaultInjectionConfig } from "../../inject/mod.ts";
import { defaultMeshConfig } from "../../../mesh/schema/mod.ts";
import { Applied } from "./applied.ts";
import { missingClasses } from "./classes.ts";
import { desiredObjects, type GatewayContext } from "./desired.ts";
import { deploymentName, gatewayOfSet, isManual, servicePorts } from "./managed.ts";
import { overlayOf } from "./overlays.ts";
import { Rendered } from "./rendered.ts";
import { type GatewayRules, type ManagedItem, ownGateways, planOf } from "./plan.ts";
import type { ConfigMapItem, GatewayClassItem, GatewayItem, ListenerSetItem } from "./types.ts";

const CONTROLLER = "mesh.io/gateway-controller";

const RULES: GatewayRules = {
  controllerName: CONTROLLER,
  revision: "default",
  waypoints: true,
  eastWest: true,
  tags: new Map(),
  selects: (name) => name !== "unselected",
};

const CLASSES: GatewayClassItem[] = [
  { metadata: { name: "mesh" }, spec: { controllerName: CONTROLLER } },
  { metadata: { name: "other" }, spec: { controllerName: "somebody" } },
  { metadata: { name: "mesh-waypoint" }, spec: { controllerName: "mesh.io/mesh-controller" } },
  {
    metadata: { name: "mesh-east-west" },
    spec: { controllerName: "mesh.io/eastwest-controller" },
  },
];

const NAMESPACES = [
  { metadata: { name: "shop" } },
  { metadata: { name: "blue", labels: { "mesh.io/rev": "blue" } } },
  { metadata: { name: "unselected" } },
];

function gatewayOf(
  metadata: Partial<GatewayItem["metadata"]> = {},
  spec: Partial<GatewayItem["spec"]> = {},
): GatewayItem {
  return {
    metadata: { name: "front", namespace: "shop", uid: "1", ...metadata },
    spec: {
      gatewayClassName: "mesh",
      listeners: [{ name: "web", port: 80, protocol: "HTTP" }],
      ...spec,
    },
  };
}

function contextOf(configMaps: readonly ConfigMapItem[] = []): GatewayContext {
  return {
    settings: {
      config: defaultInjectionConfig(),
      mesh: defaultMeshConfig(),
      revision: "default",
      clusterId: "Orchestrator",
      compliancePolicy: "",
      kubeVersion: 136,
      rootNamespace: "mesh-system",
    },
    listenerSets: () => [],
    labelsOf: () => ({}),
    configMap: (namespace, name) =>
      configMaps.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    defaults: [],
  };
}

function plannedFor(
  gateway: GatewayItem,
  context: GatewayContext = contextOf(),
  managed: readonly ManagedItem[] = [],
  waypoints: boolean = true,
) {
  const observed = { gateways: [gateway], classes: CLASSES, namespaces: NAMESPACES, managed };
  return planOf(ownGateways(observed, RULES), managed, {
    ...context,
    waypoints,
    eastWest: waypoints,
  });
}

function kindsOf(gateway: GatewayItem, context?: GatewayContext): string[] {
  return plannedFor(gateway, context).wanted.map(({ object }) => object.kind);
}

Deno.test("a Gateway is deployed by its class, its revision and its namespace", () => {
  const basics = ["ServiceAccount", "Deployment", "Service"];
  const rows: [GatewayItem, string[]][] = [
    [gatewayOf(), basics],
    [gatewayOf({}, { gatewayClassName: "other" }), []],
    [gatewayOf({}, { gatewayClassName: "unknown" }), []],
    [gatewayOf({ namespace: "unselected" }), []],
    [gatewayOf({ namespace: "blue" }), []],
    [gatewayOf({ namespace: "blue", labels: { "mesh.io/rev": "default" } }), basics],
    [gatewayOf({ labels: { "mesh.io/rev": "blue" } }), []],
    [gatewayOf({ deletionTimestamp: "2026-01-01T00:00:00Z" }), []],
    [gatewayOf({}, { addresses: [{ type: "Hostname", value: "a.b" }] }), []],
    [gatewayOf({ annotations: { "gateway.mesh.io/service-account": "own" } }), basics.slice(1)],
  ];
  for (const [gateway, kinds] of rows) {
    assert.deepEqual(kindsOf(gateway), kinds, JSON.stringify(gateway));
  }
});

Deno.test("a waypoint is deployed where the mesh has waypoints", () => {
  const waypoint = gatewayOf({}, {
    gatewayClassName: "mesh-waypoint",
    listeners: [{ name: "mesh", port: 15008, protocol: "HBONE" }],
  });
  const { wanted } = plannedFor(waypoint);
  const names = wanted.map(({ object: { kind, metadata } }) => `${kind} ${metadata.name}`);
  assert.deepEqual(
    names,
    ["ServiceAccount", "Deployment", "Service"].map((kind) => `${kind} front-mesh-waypoint`),
  );
  const service = JSON.stringify(wanted[2]!.object);
  assert.match(service, /"type":"ClusterIP"/);
  assert.match(service, /"port":15008,"protocol":"TCP","appProtocol":"hbone"/);
  const { faults } = plannedFor(waypoint, contextOf(), [], false);
  assert.deepEqual(faults.map(({ reason }) => reason), ["waypoints are not enabled"]);
});

Deno.test("a gateway between networks is deployed where the mesh has tunnels between them", () => {
  const gateway = gatewayOf({ labels: { "topology.mesh.io/network": "far" } }, {
    gatewayClassName: "mesh-east-west",
    listeners: [{ name: "mesh", port: 15008, protocol: "HBONE" }],
  });
  const { wanted } = plannedFor(gateway);
  const names = wanted.map(({ object: { kind, metadata } }) => `${kind} ${metadata.name}`);
  assert.deepEqual(
    names,
    ["ServiceAccount", "Deployment", "Service"].map((kind) => `${kind} front-mesh-east-west`),
  );
  const [, deployment, service] = wanted.map(({ object }) => JSON.stringify(object));
  assert.match(deployment!, /"gateway.mesh.io\/managed":"mesh.io-eastwest-controller"/);
  assert.match(deployment!, /"name":"MESH_META_NETWORK","value":"far"/);
  assert.match(deployment!, /"topology.mesh.io\/network":"far"/);
  assert.match(service!, /"type":"LoadBalancer"/);
  const { faults } = plannedFor(gateway, contextOf(), [], false);
  assert.deepEqual(faults.map(({ reason }) => reason), [
    "gateways between networks are not enabled",
  ]);
});

Deno.test("overlays change objects and add optional ones, but not their names", () => {
  const map: ConfigMapItem = {
    metadata: { namespace: "shop", name: "more" },
    data: {
      deployment: "metadata: {name: x, labels: {a: b}}\nspec: {replicas: 3}",
      horizontalPodAutoscaler: "spec: {maxReplicas: 5}",
    },
  };
  const infrastructure = { parametersRef: { group: "", kind: "ConfigMap", name: "more" } };
  const gateway = gatewayOf({}, { infrastructure });
  const { wanted } = plannedFor(gateway, contextOf([map]));
  const kinds = ["ServiceAccount", "Deployment", "Service", "HorizontalPodAutoscaler"];
  assert.deepEqual(wanted.map(({ object }) => object.kind), kinds);
  const { metadata, spec } = wanted[1]!.object as OrchObject & {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: { readonly replicas: number };
  };
  assert.equal(metadata.name, "front-mesh");
  assert.equal(metadata.labels.a, "b");
  assert.equal(spec.replicas, 3);
});

Deno.test("a Gateway with wrong parameters keeps its objects, and the fault is named", () => {
  const existing = { kind: "Deployment", item: managedItem("front-mesh") };
  for (
    const [kind, pattern] of [["ConfigMap", /no ConfigMap shop\/more/], [
      "Secret",
      /Secret has no parameters/,
    ]] as const
  ) {
    const infrastructure = { parametersRef: { group: "", kind, name: "more" } };
    const plan = plannedFor(gatewayOf({}, { infrastructure }), contextOf(), [existing]);
    assert.match(plan.faults[0]!.reason, pattern);
    assert.deepEqual([plan.wanted, plan.obsolete], [[], []]);
  }
  const wrong = { metadata: { namespace: "shop", name: "more" }, data: { deploymnt: "" } };
  assert.throws(() => overlayOf(wrong), /the key deploymnt names no object/);
});

function managedItem(name: string, uid = "1"): ManagedItem["item"] {
  const owner = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    name: "front",
    uid,
  };
  const labels = { "gateway.mesh.io/managed": "mesh.io-gateway-controller" };
  return { metadata: { name, namespace: "shop", labels, ownerReferences: [owner] } };
}

Deno.test("objects that a Gateway does not need any more are removed", () => {
  const managed = [
    { kind: "Service", item: managedItem("front-mesh") },
    { kind: "Service", item: managedItem("before") },
    { kind: "Service", item: managedItem("of-another", "2") },
  ];
  const { obsolete } = plannedFor(gatewayOf(), contextOf(), managed);
  assert.deepEqual(obsolete.map(({ item }) => item.metadata.name), ["before"]);
});

Deno.test("a Service has one port for each port of listeners", () => {
  const listener = (name: string, port: number, protocol = "HTTP") => ({ name, port, protocol });
  const ports = servicePorts([
    listener("a.b", 80),
    listener("second", 80),
    listener("a-b", 81, "HTTPS"),
    listener("udp", 53, "UDP"),
    listener("status-port", 82, "TCP"),
  ]);
  assert.deepEqual(ports.map(({ name, port, appProtocol }) => `${name} ${port} ${appProtocol}`), [
    "status-port 15021 tcp",
    "a-b 80 http",
    "a-b-81 81 https",
    "udp 53 udp",
    "status-port-82 82 tcp",
  ]);
});

Deno.test("names of Deployments are at most as long as names of Services", () => {
  assert.equal(deploymentName(gatewayOf()), "front-mesh");
  const long = deploymentName(gatewayOf({ name: "a".repeat(70) }));
  assert.match(long, /^a{54}-[0-9a-f]{8}$/);
  const annotations = { "gateway.mesh.io/name-override": "own" };
  assert.equal(deploymentName(gatewayOf({ annotations })), "own");
  assert.equal(isManual(gatewayOf({}, { addresses: [{ value: "192.0.2.1" }] })), false);
});

Deno.test("classes that exist are not created again", () => {
  const names = { className: "mesh", controllerName: CONTROLLER };
  const created = (classes: readonly GatewayClassItem[]) =>
    missingClasses(classes, { ...names, waypoints: false, eastWest: false })
      .map(({ metadata }) => metadata.name);
  assert.deepEqual(
    missingClasses([], { ...names, waypoints: true, eastWest: true })
      .map(({ metadata }) => metadata.name),
    ["mesh", "mesh-remote", "mesh-waypoint", "mesh-east-west"],
  );
  assert.deepEqual(created([]), ["mesh", "mesh-remote"]);
  assert.deepEqual(created(CLASSES), ["mesh-remote"]);
});

Deno.test("an object is applied until the server has it, and again when its fields change", () => {
  const applied = new Applied();
  const desired = { spec: { cpu: "1000m", list: [{ a: 1 }] } };
  const stored = { spec: { cpu: "1", list: [{ a: 1, more: 2 }], extra: true } };
  assert.ok(applied.isDue("k", desired, stored));
  applied.note("k", desired, stored);
  assert.ok(!applied.isDue("k", desired, { ...stored, other: 1 }));
  assert.ok(applied.isDue("k", desired, { spec: { ...stored.spec, cpu: "2" } }));
  assert.ok(applied.isDue("k", desired, { spec: { ...stored.spec, list: [] } }));
  assert.ok(applied.isDue("k", { spec: { cpu: "2" } }, stored));
  assert.ok(applied.isDue("k", desired, undefined));
  applied.keep(new Set());
  assert.ok(applied.isDue("k", desired, stored));
});

Deno.test("a pass renders only Gateways of which something has changed", () => {
  const rendered: string[] = [];
  const cache = new Rendered((gateway, of, context) => {
    rendered.push(gateway.metadata.name);
    return desiredObjects(gateway, of, context);
  });
  const reference = { group: "", kind: "ConfigMap", name: "small" };
  const plain = gatewayOf({ name: "plain", uid: "1" });
  const sized = gatewayOf({ name: "sized", uid: "2" }, {
    infrastructure: { parametersRef: reference },
  });
  const small = { metadata: { name: "small", namespace: "shop" }, data: { deployment: "{}" } };
  const other = { ...small, data: { deployment: "{}" } };
  const set: ListenerSetItem = {
    metadata: { name: "more", namespace: "shop" },
    spec: { parentRef: { name: "plain" }, listeners: [] },
  };
  const setsOf = (one: ListenerSetItem) => ({ metadata }: GatewayItem) =>
    [one].filter((each) => gatewayOfSet(each) === `${metadata.namespace}/${metadata.name}`);
  const { settings } = contextOf();
  const passes: readonly (readonly [
    what: string,
    gateways: readonly GatewayItem[],
    context: Partial<GatewayContext>,
    expected: readonly string[],
  ])[] = [
    ["the first one", [plain, sized], {}, ["plain", "sized"]],
    ["nothing", [plain, sized], {}, []],
    // What controllers make of their settings is new in each pass.
    ["equal settings", [plain, sized], { settings: { ...settings } }, []],
    ["one Gateway", [{ ...plain }, sized], {}, ["plain"]],
    ["the Gateway as it was", [plain, sized], {}, ["plain"]],
    ["one ConfigMap", [plain, sized], { configMap: () => other }, ["sized"]],
    ["settings", [plain], { settings: { ...settings, clusterId: "other" } }, ["plain"]],
    ["a Gateway that was gone", [plain, sized], {}, ["plain", "sized"]],
    ["a ListenerSet", [plain, sized], { listenerSets: setsOf(set) }, ["plain"]],
    ["the same ListenerSet", [plain, sized], { listenerSets: setsOf(set) }, []],
    ["a changed ListenerSet", [plain, sized], { listenerSets: setsOf({ ...set }) }, ["plain"]],
    ["no ListenerSet", [plain, sized], {}, ["plain"]],
  ];
  for (const [what, gateways, change, expected] of passes) {
    rendered.length = 0;
    const observed = { gateways, classes: CLASSES, namespaces: NAMESPACES, managed: [] };
    const context = { ...contextOf(), settings, configMap: () => small, ...change };
    planOf(
      ownGateways(observed, RULES),
      [],
      { ...context, waypoints: true, eastWest: true },
      cache,
    );
    assert.deepEqual(rendered, expected, what);
  }
});
