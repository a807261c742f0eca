import assert from "node:assert/strict";
import type { ApiService, ApiServicePort, ApiSlice, PodFacts } from "./api.ts";
import { podFacts } from "./api.ts";
import { podRow } from "./pod_row.ts";
import { type RowInputs, serviceRow } from "./row.ts";

function pod(name: string, more: Partial<PodFacts> = {}): PodFacts {
  return {
    namespace: "shop",
    name,
    labels: { app: name },
    serviceAccount: "web",
    workload: "web",
    node: "n1",
    address: "10.1.0.1",
    addresses: ["10.1.0.1"],
    ready: true,
    ...more,
  };
}

const NETWORK = "topology.mesh.io/network";

const INPUTS: RowInputs = {
  slices: [],
  pod: (_, name) => pod(name),
  podAt: () => undefined,
  node: (name) => ({ name, region: "r1", zone: "z1", subzone: "", labels: {}, addresses: [] }),
  nodes: () => [],
  addressesOf: () => [],
  isNamedGateway: false,
  network: "",
  domain: "cluster.local",
  source: "cluster/c1",
  selectEntries: true,
};

function service(spec: ApiService["spec"], annotations: Record<string, string> = {}): ApiService {
  return { metadata: { name: "web", namespace: "shop", annotations }, spec };
}

function slice(addresses: readonly string[], more: Partial<ApiSlice> = {}): ApiSlice {
  return {
    metadata: { name: "web-1", namespace: "shop" },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: addresses.map((address, i) => ({
      addresses: [address],
      nodeName: "n1",
      targetRef: { kind: "Pod", name: `web-${i}` },
    })),
    ...more,
  };
}

const HTTP = { name: "http", port: 80 };

Deno.test("a Service becomes a host with its addresses, and pods with labels, account and locality", () => {
  const row = serviceRow(
    service({ clusterIPs: ["10.96.0.1", "fd00::1"], ports: [HTTP] }),
    { ...INPUTS, slices: [slice(["10.1.0.1"])] },
  );
  const { spec, meta } = row;
  assert.deepEqual([meta.kind, meta.namespace, meta.name, spec.hosts], ["Service", "shop", "web", [
    "web.shop.svc.cluster.local",
  ]]);
  assert.deepEqual(spec.addresses, ["10.96.0.1", "fd00::1"]);
  assert.deepEqual(spec.ports.map(({ number, protocol }) => [number, protocol]), [[80, "HTTP"]]);
  const [endpoint] = spec.endpoints;
  assert.deepEqual(
    [endpoint?.address, endpoint?.ports, endpoint?.labels, endpoint?.serviceAccount],
    ["10.1.0.1", { http: 8080 }, { app: "web-0" }, "web"],
  );
  assert.equal(endpoint?.locality, "r1/z1");
  assert.deepEqual(row.service?.endpoints, [
    { health: "healthy", namespace: "shop", workload: "web", hostname: "", node: "n1", pod: true },
  ]);
});

Deno.test("the protocol is by appProtocol, else by the name; a port without both is detected", () => {
  const ports = [
    { name: "http", port: 1, appProtocol: "kubernetes.io/h2c" },
    { name: "grpc-web-x", port: 2 },
    { name: "tcp", port: 3, appProtocol: "grpc" },
    { name: "dns", port: 4, protocol: "UDP" },
    { port: 5 },
    { name: "x", port: 6, appProtocol: "http-metrics" },
    { name: "x", port: 7, appProtocol: "grpc-web-x" },
    { name: "HTTP-y", port: 8, appProtocol: "mine" },
  ];
  const { spec } = serviceRow(service({ ports }), INPUTS);
  assert.deepEqual(spec.ports.map(({ protocol }) => protocol), [
    "HTTP2",
    "GRPC-WEB",
    "GRPC",
    "UDP",
    "",
    "HTTP",
    "GRPC-WEB",
    "MINE",
  ]);
  assert.equal(spec.ports[4]?.name, "port-5");
});

Deno.test("ports of protocols in which the server speaks first are TCP unless they say otherwise", () => {
  const protocols = (port: ApiServicePort) =>
    serviceRow(service({ ports: [port] }), INPUTS).spec.ports[0]?.protocol;
  for (const port of [25, 53, 3306, 27017]) {
    assert.equal(protocols({ port }), "TCP");
    assert.equal(protocols({ port, name: "db" }), "TCP");
    assert.equal(protocols({ port, name: "mine", appProtocol: "mine.test/x" }), "TCP");
    assert.equal(protocols({ port, name: "http-x" }), "HTTP");
    assert.equal(protocols({ port, name: "db", appProtocol: "mysql" }), "MYSQL");
    assert.equal(protocols({ port, name: "db", protocol: "UDP" }), "UDP");
  }
  assert.equal(protocols({ port: 5432, name: "db" }), "DB");
});

Deno.test("an address that a slice names without a pod is that of the pod there", () => {
  const inputs: RowInputs = {
    ...INPUTS,
    node: (name) => name === "" ? undefined : INPUTS.node(name),
    podAt: (namespace, address) =>
      address === "10.1.0.1" ? { ...pod("web-0"), namespace } : undefined,
    slices: [slice([], {
      endpoints: [{ addresses: ["10.1.0.1"] }, { addresses: ["192.0.2.1"] }],
    })],
  };
  const { spec, service: facts } = serviceRow(service({ ports: [HTTP] }), inputs);
  const found = spec.endpoints.map((one) => [one.serviceAccount, one.labels.app, one.locality]);
  assert.deepEqual(found, [["web", "web-0", "r1/z1"], ["", undefined, ""]]);
  assert.deepEqual(facts?.endpoints.map((one) => one.pod), [true, false]);
});

Deno.test("an address of several slices counts once for each port, and where it is ready", () => {
  const two = (ready: boolean): ApiSlice =>
    slice([], { endpoints: [{ addresses: ["10.1.0.1"], conditions: { ready } }] });
  const admin = slice(["10.1.0.1"], { ports: [{ name: "admin", port: 9000 }] });
  const ports = [HTTP, { name: "admin", port: 81 }];
  const found = (...slices: ApiSlice[]) => {
    const { spec, service: facts } = serviceRow(service({ ports }), { ...INPUTS, slices });
    return spec.endpoints.map((one, i) => [one.ports, facts?.endpoints[i]?.health]);
  };
  assert.deepEqual(found(two(true), two(true)), [[{ http: 8080 }, "healthy"]]);
  assert.deepEqual(found(two(false), two(true)), [[{ http: 8080 }, "healthy"]]);
  assert.deepEqual(found(two(false), two(false)), [[{ http: 8080 }, "unhealthy"]]);
  assert.deepEqual(found(two(true), admin), [
    [{ http: 8080 }, "healthy"],
    [{ admin: 9000 }, "healthy"],
  ]);
});

Deno.test("annotations name further identities of the servers", () => {
  const of = (annotations: Record<string, string>) =>
    serviceRow(service({ ports: [HTTP] }, annotations), INPUTS).service?.identities;
  assert.equal(of({}), undefined);
  assert.deepEqual(
    of({
      "alpha.mesh.io/kubernetes-serviceaccounts": "a, bank/b",
      "alpha.mesh.io/canonical-serviceaccounts": "spiffe://other/x",
    }),
    { accounts: ["shop/a", "bank/b"], names: ["spiffe://other/x"] },
  );
});

Deno.test("conditions of an endpoint are its health: unready, draining, or published anyway", () => {
  const conditions = [
    {},
    { ready: false },
    { ready: false, serving: true, terminating: true },
    { ready: false, serving: false, terminating: true },
  ];
  const inputs = {
    ...INPUTS,
    slices: [slice([], {
      endpoints: conditions.map((one, i) => ({ addresses: [`10.1.0.${i}`], conditions: one })),
    })],
  };
  const healths = (publishNotReadyAddresses: boolean) =>
    serviceRow(service({ ports: [HTTP], publishNotReadyAddresses }), inputs).service?.endpoints
      .map(({ health }) => health);
  assert.deepEqual(healths(false), ["healthy", "unhealthy", "draining", "unhealthy"]);
  assert.deepEqual(healths(true), ["healthy", "healthy", "healthy", "healthy"]);
});

Deno.test("an external name is an alias without ports; headless Services have no address", () => {
  const ports = [{ ...HTTP, targetPort: 8080 }];
  const external = serviceRow(
    service({ type: "ExternalName", externalName: "DB.test.", ports }),
    { ...INPUTS, slices: [slice(["10.1.0.1"])] },
  );
  assert.equal(external.service?.alias, "db.test");
  assert.deepEqual([external.spec.ports, external.spec.endpoints], [[], []]);
  const headless = serviceRow(
    service({ clusterIP: "None", clusterIPs: ["None"], ports: [HTTP] }, {
      "networking.mesh.io/exportTo": "., bank",
    }),
    INPUTS,
  );
  assert.deepEqual([headless.spec.addresses, headless.spec.exportTo], [[], [".", "bank"]]);
  assert.deepEqual([headless.service?.headless, headless.spec.resolution], [true, 0]);
});

Deno.test("addresses outside, distribution and the policy of nodes are facts of the row", () => {
  const balanced = {
    ...service({
      ports: [HTTP],
      externalIPs: ["192.0.2.1"],
      trafficDistribution: "PreferClose",
      internalTrafficPolicy: "Local",
    }),
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.2" }, { hostname: "lb.test" }] } },
  };
  const { service: facts } = serviceRow(balanced, INPUTS);
  assert.deepEqual(facts?.externalAddresses, ["192.0.2.1", "192.0.2.2", "lb.test"]);
  assert.deepEqual([facts?.distribution, facts?.nodeLocal], ["same-zone", true]);
  const annotated = service({ ports: [HTTP], trafficDistribution: "PreferClose" }, {
    "networking.mesh.io/traffic-distribution": "PreferSameNode",
  });
  assert.equal(serviceRow(annotated, INPUTS).service?.distribution, "same-node");
});

Deno.test("the workload of a pod is its controller, a Deployment by its ReplicaSet", () => {
  const workload = (kind: string, name: string, labels: Record<string, string> = {}) =>
    podFacts({
      metadata: {
        name: "p",
        namespace: "shop",
        labels,
        ownerReferences: [{ apiVersion: "v1", kind, name, uid: "u", controller: true }],
      },
    }).workload;
  assert.equal(workload("ReplicaSet", "web-5d8", { "pod-template-hash": "5d8" }), "web");
  assert.equal(workload("ReplicaSet", "web-5d8"), "web-5d8");
  assert.equal(workload("ReplicaSet", "web-5d8", { "rollouts-pod-template-hash": "5d8" }), "web");
  assert.equal(workload("ReplicaSet", "x-1", { "service.mesh.io/workload-name": "mine" }), "mine");
  assert.equal(workload("ReplicationController", "web-1", { deploymentconfig: "web" }), "web");
  assert.equal(workload("Job", "backup-28123456"), "backup");
  assert.equal(workload("StatefulSet", "db"), "db");
});

Deno.test("a pod with an address is a workload, unready until its condition says so", () => {
  const facts = (status: unknown) =>
    podFacts({ metadata: { name: "p", namespace: "shop", labels: { app: "p" } }, status } as never);
  const ready = [{ type: "Ready", status: "True" }];
  const row = (status: unknown) =>
    podRow(facts(status), {
      node: undefined,
      source: "cluster/c1",
      network: "n1",
      selectable: true,
    });
  assert.equal(row({ podIP: "10.1.0.1", conditions: ready })?.pod?.health, "healthy");
  assert.equal(row({ podIP: "10.1.0.1" })?.pod?.health, "unhealthy");
  assert.equal(row({ podIP: "10.1.0.1", phase: "Failed", conditions: ready }), undefined);
  assert.equal(row({}), undefined);
  assert.equal(row({ podIP: "10.1.0.1" })?.spec.network, "n1");
});

Deno.test("the network of the cluster is that of endpoints whose pods name none", () => {
  const networks = (network: string) => {
    const pods: RowInputs["pod"] = (_, name) => {
      const labels: Record<string, string> = name === "web-0" ? { [NETWORK]: "n2" } : {};
      return { ...pod(name), labels };
    };
    const inputs = { ...INPUTS, slices: [slice(["10.1.0.1", "10.1.0.2"])], pod: pods, network };
    return serviceRow(service({ ports: [{ name: "http", port: 80 }] }), inputs)
      .spec.endpoints.map((endpoint) => endpoint.network);
  };
  assert.deepEqual(networks(""), ["n2", ""]);
  assert.deepEqual(networks("n1"), ["n2", "n1"]);
});
