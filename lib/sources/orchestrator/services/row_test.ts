import assert from "node:assert/strict";
import type { ApiService, ApiSlice } from "./api.ts";
import { type RowInputs, serviceRow } from "./row.ts";

const INPUTS: RowInputs = {
  slices: [],
  pod: (namespace, name) => ({ namespace, name, labels: { app: name }, serviceAccount: "web" }),
  node: (name) => ({ name, region: "r1", zone: "z1", subzone: "" }),
  domain: "cluster.local",
  source: "cluster/c1",
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
  const { spec, meta } = serviceRow(
    service({ clusterIPs: ["10.96.0.1", "fd00::1"], ports: [HTTP] }),
    {
      ...INPUTS,
      slices: [slice(["10.1.0.1"])],
    },
  );
  assert.deepEqual([meta.namespace, meta.name, spec.hosts], ["shop", "service:web", [
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
});

Deno.test("the protocol is by appProtocol, else by the name; a port without both is detected", () => {
  const ports = [
    { name: "http", port: 1, appProtocol: "kubernetes.io/h2c" },
    { name: "grpc-web-x", port: 2 },
    { name: "tcp", port: 3, appProtocol: "grpc" },
    { name: "dns", port: 4, protocol: "UDP" },
    { port: 5 },
  ];
  const { spec } = serviceRow(service({ ports }), INPUTS);
  assert.deepEqual(spec.ports.map(({ protocol }) => protocol), [
    "HTTP2",
    "GRPC-WEB",
    "GRPC",
    "UDP",
    "",
  ]);
  assert.equal(spec.ports[4]?.name, "port-5");
});

Deno.test("pods that are not ready are left out, unless the Service publishes them", () => {
  const unready = slice([], {
    endpoints: [{ addresses: ["10.1.0.2"], conditions: { ready: false } }],
  });
  const inputs = { ...INPUTS, slices: [slice(["10.1.0.1"]), unready] };
  const addresses = (publishNotReadyAddresses: boolean) =>
    serviceRow(service({ ports: [HTTP], publishNotReadyAddresses }), inputs).spec.endpoints
      .map(({ address }) => address);
  assert.deepEqual(addresses(false), ["10.1.0.1"]);
  assert.deepEqual(addresses(true), ["10.1.0.1", "10.1.0.2"]);
});

Deno.test("an external name is looked up, headless Services have no address, exportTo is an annotation", () => {
  const external = service({ type: "ExternalName", externalName: "db.test", ports: [HTTP] });
  assert.deepEqual(serviceRow(external, INPUTS).spec.endpoints.map(({ address }) => address), [
    "db.test",
  ]);
  const headless = service({ clusterIP: "None", clusterIPs: ["None"], ports: [HTTP] }, {
    "networking.mesh.io/exportTo": "., bank",
  });
  const { spec } = serviceRow(headless, INPUTS);
  assert.deepEqual([spec.addresses, spec.exportTo], [[], [".", "bank"]]);
});
