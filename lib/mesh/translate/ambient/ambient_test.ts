/** Resources of node proxies: addresses of workloads and services, and policies. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { rowOfObject } from "../../model/mod.ts";
import type { TableKind } from "../../schema/mod.ts";
import { fromBinary, toJson } from "../../../kit/proto/mod.ts";
import { ipText } from "../../../kit/text/mod.ts";
import { AuthorizationSchema } from "#mesh/security/authorization_pb.ts";
import { AddressSchema } from "#mesh/workload/workload_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { fromJson } from "../../../kit/proto/mod.ts";
import type { ObjectChange } from "../../ingest/mod.ts";
import { objectKey, XDS_TYPES } from "../../model/mod.ts";
import { objectsOf, testMeshConfig } from "../../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  changeOf,
  contentOf,
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { podOf, serviceOf } from "../../../../tests/support/ambient_rows.ts";

const FEATURES = featuresWith({ PILOT_ENABLE_AMBIENT: "true" });
const { address: ADDRESS, authorization: POLICY } = XDS_TYPES;

function nodeProxy(bench: Bench) {
  const node = { ...proxyNode("mesh-system"), role: "ztunnel" as const };
  return bench.translation.source.bind(node, () => {});
}

function ambient(features = FEATURES): Bench {
  return startTranslation(testMeshConfig(), features);
}

/** Changes that set rows of pods and Services. */
function rowChanges(rows: readonly ReturnType<typeof podOf>[]): ObjectChange[] {
  return rows.map((object) => {
    const { table, key } = rowOfObject({ table: object.meta.kind, key: objectKey(object.meta) });
    return { kind: table as TableKind, key, object };
  });
}

/** Addresses as JSON, by name, with IP addresses as texts. */
function addressesOf(bench: Bench): Record<string, Record<string, unknown>> {
  const view = nodeProxy(bench).view(ADDRESS.url)!;
  return Object.fromEntries(
    [...view.entries()].sort((a, b) => a.name < b.name ? -1 : 1).map(({ name, bytes }) => {
      const json = toJson(AddressSchema, fromBinary(AddressSchema, bytes)) as Record<
        string,
        object
      >;
      const [only] = Object.values(json);
      return [name, readable(only) as Record<string, unknown>];
    }),
  );
}

function readable(value: unknown): unknown {
  const text = JSON.stringify(value, (key, one) => {
    if (key === "address" && typeof one === "string") return ipOf(one);
    return key === "addresses" && typeof one?.[0] === "string" ? one.map(ipOf) : one;
  });
  return JSON.parse(text);
}

function ipOf(base64: string): string {
  return ipText(Uint8Array.fromBase64(base64));
}

function policiesOf(bench: Bench): Record<string, unknown> {
  const view = nodeProxy(bench).view(POLICY.url)!;
  return Object.fromEntries(
    [...view.entries()].sort((a, b) => a.name < b.name ? -1 : 1).map(({ name, bytes }) => {
      const { name: _, namespace: __, ...rest } = toJson(
        AuthorizationSchema,
        fromBinary(AuthorizationSchema, bytes),
      ) as Record<string, unknown>;
      return [name, rest];
    }),
  );
}

const WEB = "shop/web.shop.svc.cluster.local";
const POD = "test//Pod/shop/web-1";

Deno.test("ambient: a pod with its services, ports, identity and place", () => {
  const bench = ambient();
  bench.apply({
    objects: rowChanges([
      podOf("web-1", { labels: { app: "web", version: "v2" }, redirected: true }),
      serviceOf("web", { targetPort: "http", clusterIPs: ["10.96.0.1", "fd00::1"] }),
      serviceOf("other", { selector: { app: "other" } }),
    ]),
  });
  const found = addressesOf(bench);
  assert.deepEqual(found[POD], {
    uid: POD,
    name: "web-1",
    namespace: "shop",
    addresses: ["10.0.0.1", "fd00:1::1"],
    tunnelProtocol: "HBONE",
    serviceAccount: "web",
    node: "n1",
    canonicalName: "web",
    canonicalRevision: "v2",
    workloadName: "web",
    services: { [WEB]: { ports: [{ servicePort: 80, targetPort: 8080, appProtocol: "HTTP11" }] } },
    clusterId: "test",
    locality: { region: "r1", zone: "z1" },
  });
  assert.deepEqual(found[WEB], {
    name: "web",
    namespace: "shop",
    hostname: "web.shop.svc.cluster.local",
    addresses: [{ address: "10.96.0.1" }, { address: "fd00::1" }],
    ports: [{ servicePort: 80, targetPort: 80, appProtocol: "HTTP11" }],
    ipFamilies: "DUAL",
    canonical: true,
  });
});

const PROPERTIES: readonly (readonly [
  what: string,
  rows: readonly ReturnType<typeof podOf>[],
  yaml: string,
  name: string,
  expected: Record<string, unknown>,
])[] = [
  ["a pod that is not ready", [podOf("web-1", { ready: false })], "", POD, { status: "UNHEALTHY" }],
  [
    "a pod in the network of its node",
    [podOf("web-1", { hostNetwork: true })],
    "",
    POD,
    { networkMode: "HOST_NETWORK", tunnelProtocol: undefined },
  ],
  [
    "a pod that takes tunnels itself",
    [podOf("web-1", { labels: { "networking.mesh.io/tunnel": "http" }, redirected: true })],
    "",
    POD,
    { nativeTunnel: true, tunnelProtocol: "HBONE" },
  ],
  [
    "a pod with a sidecar",
    [podOf("web-1", { labels: { "security.mesh.io/tlsMode": "mesh" } })],
    "",
    POD,
    { tunnelProtocol: "LEGACY_MESH_MTLS" },
  ],
  [
    "a pod of a Job, with a network of its own",
    [podOf("web-1", {
      owner: ["Job", "web"],
      labels: { "topology.mesh.io/network": "far" },
    })],
    "",
    POD,
    { workloadType: "JOB", network: "far" },
  ],
  [
    "a pod of a CronJob",
    [podOf("web-1", { owner: ["Job", "web-29123456"] })],
    "",
    POD,
    { workloadType: "CRONJOB", workloadName: "web" },
  ],
  ["a pod of its own", [podOf("web-1", { owner: undefined })], "", POD, { workloadType: "POD" }],
  [
    "a name of a port that no container has",
    [podOf("web-1"), serviceOf("web", { targetPort: "none" })],
    "",
    POD,
    { services: { [WEB]: {} } },
  ],
  [
    "endpoints near the client",
    [serviceOf("web", { spec: { trafficDistribution: "PreferClose" } })],
    "",
    WEB,
    {
      loadBalancing: { mode: "FAILOVER", routingPreference: ["NETWORK", "REGION", "ZONE"] },
    },
  ],
  [
    "endpoints on the node of the client alone",
    [serviceOf("web", { spec: { internalTrafficPolicy: "Local" } })],
    "",
    WEB,
    { loadBalancing: { mode: "STRICT", routingPreference: ["NODE"] } },
  ],
  [
    "endpoints that are not ready",
    [serviceOf("web", { spec: { publishNotReadyAddresses: true } })],
    "",
    WEB,
    { loadBalancing: { healthPolicy: "ALLOW_ALL" } },
  ],
  [
    "a WorkloadEntry",
    [serviceOf("web")],
    `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: vm, namespace: shop, labels: {app: web}}
spec: {address: 10.9.0.1, serviceAccount: vm, weight: 3, locality: r/z/s, network: n2, ports: {http: 7070}}
`,
    "test/networking.mesh.io/WorkloadEntry/shop/vm",
    {
      name: "vm",
      network: "n2",
      capacity: 3,
      serviceAccount: "vm",
      workloadType: "POD",
      locality: { region: "r", zone: "z", subzone: "s" },
      services: {
        [WEB]: { ports: [{ servicePort: 80, targetPort: 7070, appProtocol: "HTTP11" }] },
      },
    },
  ],
  [
    "an endpoint of a ServiceEntry",
    [],
    entry("STATIC", "endpoints: [{address: 192.0.2.1, ports: {tls: 8443}}]"),
    "test/networking.mesh.io/ServiceEntry/shop/ext/192.0.2.1",
    {
      addresses: ["192.0.2.1"],
      services: {
        "shop/ext.example": {
          ports: [{ servicePort: 443, targetPort: 8443, appProtocol: "TLS" }],
        },
      },
    },
  ],
  [
    "a host of a ServiceEntry that is resolved by DNS",
    [],
    entry("DNS", ""),
    "test/networking.mesh.io/ServiceEntry/shop/ext/ext.example",
    { hostname: "ext.example", addresses: undefined },
  ],
  [
    "a ServiceEntry without resolution, for its namespace alone, at a range",
    [],
    entry("NONE", "addresses: [192.0.2.0/24], exportTo: ['.']"),
    "shop/ext.example",
    {
      loadBalancing: { mode: "PASSTHROUGH" },
      visibility: "NAMESPACE",
      addresses: [{ address: "192.0.2.0", length: 24 }],
    },
  ],
  [
    "an endpoint of a slice that is no pod",
    [serviceOf("web", { endpoints: ["192.0.2.7"], spec: { selector: undefined } })],
    "",
    "test/discovery.k8s.io/EndpointSlice/shop/web/192.0.2.7",
    {
      name: "web",
      services: {
        [WEB]: { ports: [{ servicePort: 80, targetPort: 8080, appProtocol: "HTTP11" }] },
      },
    },
  ],
];

function entry(resolution: string, more: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ext, namespace: shop}
spec: {hosts: [ext.example], resolution: ${resolution}, ports: [{number: 443, name: tls, protocol: TLS}]${
    more === "" ? "" : `, ${more}`
  }}
`;
}

for (const [what, rows, yaml, name, expected] of PROPERTIES) {
  Deno.test(`ambient: ${what}`, () => {
    const bench = ambient();
    bench.apply({ objects: [...rowChanges(rows), ...objectsOf(yaml).map(changeOf)] });
    const found = addressesOf(bench)[name];
    assert.ok(found !== undefined, Object.keys(addressesOf(bench)).join(" "));
    const shown = Object.fromEntries(Object.keys(expected).map((key) => [key, found[key]]));
    // An enum's first value, and an empty list, are not in JSON.
    const wanted = Object.fromEntries(
      Object.entries(expected).map(([key, value]) => [key, value]),
    );
    assert.deepEqual(shown, wanted);
  });
}

const WAYPOINT = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: way, namespace: shop, labels: {mesh.io/waypoint-for: all}}
spec: {gatewayClassName: mesh-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
`;
const USE = { "mesh.io/use-waypoint": "way" };
const BEHIND = {
  destination: undefined,
  hostname: { namespace: "shop", hostname: "way-mesh-waypoint.shop.svc.cluster.local" },
  hboneMtlsPort: 15008,
};

Deno.test("ambient: services and workloads behind a waypoint, and the policy that allows it alone", () => {
  const features = featuresWith({
    PILOT_ENABLE_AMBIENT: "true",
    PILOT_AUTO_ALLOW_WAYPOINT_POLICY: "true",
  });
  const rows = [
    podOf("way-1", {
      address: "10.0.0.9",
      labels: { app: "way", "gateway.mesh.io/managed": "mesh.io-mesh-controller" },
      account: "way",
    }),
    podOf("web-1", { labels: { app: "web", ...USE } }),
    serviceOf("web", { labels: { ...USE, "mesh.io/ingress-use-waypoint": "true" } }),
    serviceOf("way-mesh-waypoint", {
      selector: { app: "way" },
      pods: [["way-1", "10.0.0.9", "way"]],
      clusterIPs: ["10.96.0.9"],
    }),
  ];
  const { destination: _, ...behind } = BEHIND;
  for (const one of [FEATURES, features]) {
    const bench = ambient(one);
    bench.apply({ objects: [...rowChanges(rows), ...objectsOf(WAYPOINT).map(changeOf)] });
    const found = addressesOf(bench);
    assert.deepEqual([found[POD]?.waypoint, found[WEB]?.waypoint], [behind, behind]);
    assert.equal(found[WEB]?.ingressUseWaypoint, true);
    assert.equal(found["test//Pod/shop/way-1"]?.waypoint, undefined);
    const allow = "shop/mesh_allow_waypoint_way";
    const isOn = one === features;
    assert.deepEqual(found[POD]?.authorizationPolicies, isOn ? [allow] : undefined);
    assert.deepEqual(
      policiesOf(bench)[allow],
      !isOn ? undefined : {
        scope: "WORKLOAD_SELECTOR",
        groups: [{
          rules: [{ matches: [{ principals: [{ exact: "cluster.local/ns/shop/sa/way" }] }] }],
        }],
      },
    );
  }
});

Deno.test("ambient: the gateway of a network, for workloads in it", () => {
  const bench = ambient();
  bench.apply({
    networks: fromJson(MeshNetworksSchema, {
      networks: { far: { endpoints: [{ fromCidr: "10.0.0.0/24" }], gateways: [] } },
    }),
    objects: [
      ...rowChanges([podOf("web-1")]),
      ...objectsOf(`apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: east, namespace: mesh-system, labels: {topology.mesh.io/network: far}}
spec:
  gatewayClassName: mesh-remote
  addresses: [{type: IPAddress, value: 192.0.2.77}]
  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
`).map(changeOf),
    ],
  });
  const found = addressesOf(bench)[POD];
  assert.deepEqual([found?.network, found?.networkGateway], [
    "far",
    { address: { network: "far", address: "192.0.2.77" }, hboneMtlsPort: 15008 },
  ]);
});

const policy = (kind: string, name: string, spec: string, namespace = "shop") =>
  `apiVersion: security.mesh.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
`;
const access = (spec: string, namespace?: string) =>
  policy("AuthorizationPolicy", "a", spec, namespace);

const POLICIES: readonly (readonly [what: string, yaml: string, name: string, form: unknown])[] = [
  [
    "every condition of connections",
    access(`{rules: [{
      from: [{source: {principals: ["td/*"], notPrincipals: ["*/evil"], namespaces: [a, "*"],
        ipBlocks: [192.0.2.1, "2001:db8::/32"]}},
        {source: {serviceAccounts: [web, bank/till]}}, {source: {notIpBlocks: [10.0.0.0/8]}}],
      to: [{operation: {ports: ["80"], notPorts: ["81"]}}],
      when: [{key: source.namespace, notValues: [b]}, {key: destination.port, values: ["80"]}]}]}`),
    "shop/a",
    {
      scope: "NAMESPACE",
      groups: [{
        rules: [
          {
            matches: [
              {
                principals: [{ prefix: "td/" }],
                notPrincipals: [{ suffix: "/evil" }],
                namespaces: [{ exact: "a" }, { presence: {} }],
                sourceIps: [
                  { address: "192.0.2.1", length: 32 },
                  { address: "2001:db8::", length: 32 },
                ],
              },
              {
                serviceAccounts: [
                  { namespace: "shop", serviceAccount: "web" },
                  { namespace: "bank", serviceAccount: "till" },
                ],
              },
              { notSourceIps: [{ address: "10.0.0.0", length: 8 }] },
            ],
          },
          { matches: [{ destinationPorts: [80], notDestinationPorts: [81] }] },
          { matches: [{ notNamespaces: [{ exact: "b" }] }] },
          { matches: [{ destinationPorts: [80] }] },
        ],
      }],
    },
  ],
  [
    "the root namespace is the whole mesh",
    access("{action: DENY, rules: [{}]}", "mesh-system"),
    "mesh-system/a",
    { action: "DENY", groups: [{}] },
  ],
  [
    "rules that allow requests allow nothing",
    access(`{rules: [{to: [{operation: {methods: [GET], ports: ["80"]}}]},
      {from: [{source: {namespaces: [a]}}]}]}`),
    "shop/a",
    { scope: "NAMESPACE", groups: [{ rules: [{ matches: [{ namespaces: [{ exact: "a" }] }] }] }] },
  ],
  [
    "a policy of requests alone allows nothing",
    access("{rules: [{to: [{operation: {paths: [/a]}}]}]}"),
    "shop/a",
    { scope: "NAMESPACE" },
  ],
  [
    "rules that deny requests deny connections",
    access(`{action: DENY, rules: [{from: [{source: {namespaces: [a]}}],
      to: [{operation: {paths: [/a]}}]}]}`),
    "shop/a",
    {
      scope: "NAMESPACE",
      action: "DENY",
      groups: [{ rules: [{ matches: [{ namespaces: [{ exact: "a" }] }] }] }],
    },
  ],
  [
    "of alternatives, one that is always met leaves no condition",
    access(`{action: DENY, rules: [{from: [{source: {namespaces: [a]}},
      {source: {requestPrincipals: ["*"]}}]}]}`),
    "shop/a",
    { scope: "NAMESPACE", action: "DENY", groups: [{}] },
  ],
  [
    "policies of waypoints are not for node proxies",
    access("{targetRefs: [{group: '', kind: Service, name: web}], rules: [{}]}"),
    "shop/a",
    undefined,
  ],
  [
    "actions that node proxies do not have",
    access("{action: AUDIT, rules: [{}]}"),
    "shop/a",
    undefined,
  ],
  [
    "ports of a mode that is strict, but one",
    policy(
      "PeerAuthentication",
      "p",
      '{selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}, portLevelMtls: {"9090": {mode: PERMISSIVE}}}',
    ),
    "shop/converted_peer_authentication_p",
    {
      scope: "WORKLOAD_SELECTOR",
      action: "DENY",
      groups: [{
        rules: [
          { matches: [{ notPrincipals: [{ presence: {} }] }] },
          { matches: [{ notDestinationPorts: [9090] }] },
        ],
      }],
    },
  ],
];

for (const [what, yaml, name, form] of POLICIES) {
  Deno.test(`ambient policies: ${what}`, () => {
    const bench = ambient();
    bench.set(yaml);
    assert.deepEqual(readable(policiesOf(bench)[name] ?? null), form ?? null);
  });
}

const STRICT = "mesh-system/mesh_converted_static_strict";
const CONVERTED = "shop/converted_peer_authentication_p";
const PEERS: readonly (readonly [spec: string, names: readonly string[]])[] = [
  ["{mtls: {mode: STRICT}}", [STRICT]],
  ["{mtls: {mode: PERMISSIVE}}", []],
  ["{selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}}", [STRICT]],
  ["{selector: {matchLabels: {app: other}}, mtls: {mode: STRICT}}", []],
  [
    '{selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}, portLevelMtls: {"1": {mode: DISABLE}}}',
    [CONVERTED],
  ],
  [
    '{selector: {matchLabels: {app: web}}, portLevelMtls: {"1": {mode: STRICT}}}',
    [CONVERTED],
  ],
  [
    '{selector: {matchLabels: {app: web}}, portLevelMtls: {"1": {mode: DISABLE}}}',
    [],
  ],
];

Deno.test("ambient: a workload has the policies that select it", () => {
  for (const [spec, names] of PEERS) {
    const bench = ambient();
    bench.apply({ objects: rowChanges([podOf("web-1")]) });
    bench.set(policy("PeerAuthentication", "p", spec));
    const found = addressesOf(bench)[POD]?.authorizationPolicies ?? [];
    assert.deepEqual(found, names, spec);
    const known = Object.keys(policiesOf(bench));
    assert.ok(names.every((name) => known.includes(name)), spec);
  }
  const bench = ambient();
  bench.apply({ objects: rowChanges([podOf("web-1"), podOf("b", { labels: { app: "b" } })]) });
  bench.set(access("{selector: {matchLabels: {app: web}}, rules: [{}]}"));
  assert.deepEqual(addressesOf(bench)[POD]?.authorizationPolicies, ["shop/a"]);
  assert.equal(addressesOf(bench)["test//Pod/shop/b"]?.authorizationPolicies, undefined);
});

Deno.test("ambient: one changed pod computes one workload, and changes one address", () => {
  const bench = ambient();
  const pods = (unready: string) =>
    Array.from(
      { length: 40 },
      (_, i) => podOf(`web-${i}`, { address: `10.0.1.${i}`, ready: `web-${i}` !== unready }),
    );
  const service = (unready: string) =>
    serviceOf("web", {
      pods: pods(unready).map(({ meta: { name }, spec }) => {
        const { address } = spec as { address: string };
        return [name, address, "web", name !== unready];
      }),
    });
  bench.apply({ objects: rowChanges([...pods(""), service("")]) });
  const view = nodeProxy(bench).view(ADDRESS.url)!;
  assert.equal([...view.entries()].length, 41);
  bench.graph.resetStats();
  const { source } = bench.translation;
  const before = source.revision;
  bench.apply({ objects: rowChanges([...pods("web-7"), service("web-7")]) });
  assert.deepEqual(view.since(before)?.changed.map(({ name }) => name), ["test//Pod/shop/web-7"]);
  const computed = bench.graph.stats().computedByTable;
  assert.deepEqual(
    Object.fromEntries(
      Object.entries(computed).filter(([table, count]) => table.startsWith("ambient") && count > 0),
    ),
    // The row of the Service has all endpoints: its message is made again, and is the same.
    { "ambient.address": 1, "ambient.service": 1, "ambient.waypoint.service": 1 },
  );
});

/** Pods of two networks with a gateway of the other one. */
const NETWORKS = fromJson(MeshNetworksSchema, {
  networks: {
    far: { endpoints: [{ fromCidr: "10.0.9.0/24" }], gateways: [] },
    near: { endpoints: [{ fromRegistry: "test" }], gateways: [] },
  },
});
const BETWEEN = featuresWith({
  PILOT_ENABLE_AMBIENT: "true",
  AMBIENT_ENABLE_MULTI_NETWORK: "true",
});
const FAR_GATEWAY = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata:
  name: east
  namespace: mesh-system
  labels: {topology.mesh.io/network: far}
spec:
  gatewayClassName: mesh-remote
  addresses: [{type: IPAddress, value: 192.0.2.77}, {type: Hostname, value: east.example}]
  listeners: [{name: mesh, port: 15009, protocol: HBONE}]
`;

Deno.test("ambient: workloads of other networks are one for each global service and gateway", () => {
  const far = (name: string, address: string, more = {}) =>
    podOf(name, { address, redirected: true, ...more });
  const serving = (labels = {}) =>
    serviceOf("web", {
      labels,
      redirected: true,
      pods: [
        ["web-1", "10.0.0.1", "web", true],
        ["web-8", "10.0.9.8", "web", true],
        ["web-9", "10.0.9.9", "other", true],
        ["web-7", "10.0.9.7", "web", false],
      ],
    });
  const bench = ambient(BETWEEN);
  bench.apply({
    networks: NETWORKS,
    objects: [
      ...rowChanges([
        podOf("web-1", { redirected: true }),
        far("web-8", "10.0.9.8"),
        far("web-9", "10.0.9.9", { account: "other" }),
        far("web-7", "10.0.9.7", { ready: false }),
        serving({ "mesh.io/global": "true" }),
      ]),
      ...objectsOf(FAR_GATEWAY).map(changeOf),
    ],
  });
  const found = addressesOf(bench);
  const split = (at: string) => `far/SplitHorizonWorkload/mesh-system/east/${at}/${WEB}`;
  assert.deepEqual(Object.keys(found), [
    split("192.0.2.77"),
    split("east.example"),
    "mesh-system/east/192.0.2.77",
    "mesh-system/east/east.example",
    WEB,
    POD,
  ]);
  const { name: _, ...one } = found[split("192.0.2.77")]!;
  assert.deepEqual(one, {
    uid: split("192.0.2.77"),
    namespace: "shop",
    network: "far",
    tunnelProtocol: "HBONE",
    networkGateway: { address: { network: "far", address: "192.0.2.77" }, hboneMtlsPort: 15009 },
    workloadType: "POD",
    clusterId: "test",
    services: { [WEB]: { ports: [{ servicePort: 80, targetPort: 80, appProtocol: "HTTP11" }] } },
    capacity: 1,
  });
  assert.deepEqual(found[split("east.example")]?.networkGateway, {
    hostname: { namespace: "mesh-system", hostname: "east.example" },
    hboneMtlsPort: 15009,
  });
  const entrance = found["mesh-system/east/192.0.2.77"]!;
  assert.deepEqual(
    [entrance.addresses, entrance.serviceAccount, entrance.network],
    [["192.0.2.77"], "east-mesh-east-west", "far"],
  );
  // Its clients accept what is behind the gateway.
  assert.deepEqual(found[WEB]?.subjectAltNames, [
    "spiffe://cluster.local/ns/shop/sa/other",
    "spiffe://cluster.local/ns/shop/sa/web",
  ]);
  bench.apply({ objects: rowChanges([serving()]) });
  assert.deepEqual(
    Object.keys(addressesOf(bench)).filter((name) => name.includes("Split")),
    [],
  );
  assert.equal(addressesOf(bench)[WEB]?.subjectAltNames, undefined);
});

Deno.test("ambient: node proxies of another network see its workloads, and split ones of the first", () => {
  const bench = ambient(BETWEEN);
  bench.apply({
    networks: NETWORKS,
    objects: rowChanges([
      podOf("web-1", { redirected: true }),
      podOf("web-9", { address: "10.0.9.9", redirected: true }),
    ]),
  });
  const seenFrom = (NETWORK: string) => {
    const node = {
      ...proxyNode("mesh-system", { metadata: { NETWORK } }),
      role: "ztunnel" as const,
    };
    const view = bench.translation.source.bind(node, () => {}).view(ADDRESS.url)!;
    return [...view.entries()].map(({ name }) => name).sort();
  };
  assert.deepEqual(seenFrom("near"), ["test//Pod/shop/web-1"]);
  assert.deepEqual(seenFrom("far"), ["test//Pod/shop/web-9"]);
});

const SCOPES: readonly (readonly [what: string, config: string, isGlobal: boolean])[] = [
  ["no rules: the label of the service", "", true],
  ["a rule for other labels", "[{servicesSelector: {matchLabels: {a: c}}, scope: GLOBAL}]", false],
  ["a rule for its labels", "[{servicesSelector: {matchLabels: {a: b}}, scope: GLOBAL}]", true],
  [
    "the first rule counts",
    "[{servicesSelector: {matchLabels: {a: b}}, scope: LOCAL}, {scope: GLOBAL}]",
    false,
  ],
  [
    "a rule for its namespace",
    "[{namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [x]}]}, scope: GLOBAL}]",
    true,
  ],
  [
    "a rule for other namespaces",
    "[{namespaceSelector: {matchLabels: {team: z}}, scope: GLOBAL}]",
    false,
  ],
];

for (const [what, rules, isGlobal] of SCOPES) {
  Deno.test(`ambient: serviceScopeConfigs: ${what}`, () => {
    const text = rules === "" ? "" : `serviceScopeConfigs: ${rules}`;
    const bench = startTranslation(parseMeshConfig(text, "mesh").value!, BETWEEN);
    bench.apply({
      objects: [
        ...rowChanges([serviceOf("web", { labels: { a: "b", "mesh.io/global": "true" } })]),
        ...objectsOf("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: x}}\n")
          .map(changeOf),
      ],
    });
    const { graph, ambient: tables } = bench.translation.mesh;
    const [namespace, host] = WEB.split("/") as [string, string];
    assert.equal(graph.peek(tables!.global, { namespace, host }), isGlobal);
  });
}

Deno.test("ambient: after any edits, resources are those of a new mesh", () => {
  const edits: readonly ObjectChange[] = [
    ...rowChanges([
      podOf("web-1"),
      podOf("web-1", { ready: false, labels: { app: "web", ...USE } }),
      podOf("web-2", { address: "10.0.0.2", redirected: true }),
      serviceOf("web"),
      serviceOf("web", { labels: USE, targetPort: "http" }),
      serviceOf("way-mesh-waypoint", { selector: { app: "way" } }),
      podOf("web-9", { address: "10.0.9.9", redirected: true }),
      serviceOf("web", {
        labels: { "mesh.io/global": "true" },
        pods: [["web-9", "10.0.9.9", "web", true]],
        redirected: true,
      }),
    ]),
    ...[
      WAYPOINT,
      FAR_GATEWAY,
      entry("DNS", ""),
      entry("STATIC", "endpoints: [{address: 192.0.2.1}, {address: 192.0.2.2}]"),
      access("{selector: {matchLabels: {app: web}}, rules: [{}]}"),
      access("{action: AUDIT, rules: [{}]}"),
      ...PEERS.map(([spec]) => policy("PeerAuthentication", "p", spec)),
    ].flatMap((yaml) => objectsOf(yaml).map(changeOf)),
  ];
  const everything = (bench: Bench) => {
    const binding = nodeProxy(bench);
    return [ADDRESS, POLICY, XDS_TYPES.workload].map(({ url }) => contentOf(binding.view(url)));
  };
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(edits.length - 1), fc.boolean()), { maxLength: 15 }),
      (steps) => {
        const features = steps.length % 2 === 0 ? FEATURES : BETWEEN;
        const start = () => {
          const bench = ambient(features);
          bench.apply({ networks: NETWORKS });
          return bench;
        };
        const bench = start();
        const present = new Map<string, ObjectChange>();
        everything(bench);
        for (const [index, isRemoved] of steps) {
          const { kind, key, object } = edits[index]!;
          const change = { kind, key, object: isRemoved ? undefined : object };
          bench.apply({ objects: [change] });
          present.set(`${kind} ${key}`, change);
        }
        const fresh = start();
        fresh.apply({ objects: [...present.values()] });
        assert.deepEqual(everything(bench), everything(fresh));
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("ambient: without PILOT_ENABLE_AMBIENT node proxies are refused", () => {
  const bench = startTranslation();
  assert.throws(() => nodeProxy(bench), /node proxies are not served/);
});
