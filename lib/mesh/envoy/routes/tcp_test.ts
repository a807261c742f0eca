import assert from "node:assert/strict";
import { LoadBalancerSettingsSchema } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { VirtualServiceSchema } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { fromJson, type JsonValue } from "../../../kit/proto/mod.ts";
import { hashPolicyFor } from "./hash.ts";
import type { RouteScope } from "./scope.ts";
import { type TcpRoute, translateTcpRoutes, translateTlsRoutes } from "./tcp.ts";

const BY_SOURCE = hashPolicyFor(
  fromJson(LoadBalancerSettingsSchema, { consistentHash: { useSourceIp: true } }),
);

const SCOPE: RouteScope = {
  gateways: ["mesh"],
  port: 3306,
  source: { namespace: "store", labels: { app: "web" } },
  vsNamespace: "store",
  vsName: "db",
  mesh: { excludeUnsafe503: true },
  resolve: (d, ns) => ({
    cluster: `${ns}/${d.host}/${d.subset}`,
    host: d.host,
    port: 3306,
    hashPolicy: d.host === "hashed" ? BY_SOURCE : [],
  }),
};

const TO_A = [{ destination: { host: "a" } }];

const A: TcpRoute = {
  match: { subnets: [], port: 0, sniHosts: [] },
  clusters: [{ cluster: "store/a/", weight: 1 }],
  hashSourceIp: false,
};

const CASES: readonly [about: string, tcp: JsonValue, expected: readonly TcpRoute[]][] = [
  ["a rule without match takes all and ends the list", [{ route: TO_A }, { route: TO_A }], [A]],
  ["shares, without those of nothing", [{
    route: [
      { destination: { host: "a", subset: "v1" }, weight: 75 },
      { destination: { host: "a", subset: "v2" }, weight: 25 },
      { destination: { host: "a", subset: "v3" } },
    ],
  }], [{
    ...A,
    clusters: [{ cluster: "store/a/v1", weight: 75 }, { cluster: "store/a/v2", weight: 25 }],
  }]],
  ["subnets of each match, then what is left", [
    {
      match: [{ destinationSubnets: ["10.0.0.0/8", "fd00::/8"] }, {
        destinationSubnets: ["192.168.0.1"],
        port: 3306,
      }],
      route: TO_A,
    },
    { route: [{ destination: { host: "b" } }] },
  ], [
    { ...A, match: { subnets: ["10.0.0.0/8", "fd00::/8"], port: 0, sniHosts: [] } },
    { ...A, match: { subnets: ["192.168.0.1"], port: 3306, sniHosts: [] } },
    { ...A, clusters: [{ cluster: "store/b/", weight: 1 }] },
  ]],
  ["other ports, gateways and sources", [
    { match: [{ port: 5432 }], route: TO_A },
    { match: [{ gateways: ["edge"] }], route: TO_A },
    { match: [{ sourceLabels: { app: "batch" } }], route: TO_A },
    { match: [{ sourceNamespace: "bank" }], route: TO_A },
  ], []],
  ["this port, gateway and source", [{
    match: [{ port: 3306, sourceLabels: { app: "web" }, sourceNamespace: "store" }],
    route: TO_A,
  }], [{ ...A, match: { subnets: [], port: 3306, sniHosts: [] } }]],
  ["nowhere to go", [{
    route: [{ destination: { host: "a" } }, { destination: { host: "b" } }],
  }, { route: TO_A }], [A]],
  ["a hash of the client's address", [{ route: [{ destination: { host: "hashed" } }] }], [{
    ...A,
    clusters: [{ cluster: "store/hashed/", weight: 1 }],
    hashSourceIp: true,
  }]],
];

for (const [about, tcp, expected] of CASES) {
  Deno.test(`TCP routes: ${about}`, () => {
    const vs = fromJson(VirtualServiceSchema, { hosts: ["db"], tcp });
    assert.deepEqual(translateTcpRoutes(vs, SCOPE), expected);
  });
}

Deno.test("TLS routes: one for each match that applies, none ends the list", () => {
  const vs = fromJson(VirtualServiceSchema, {
    hosts: ["db", "*.db"],
    tls: [
      {
        match: [
          { sniHosts: ["db"] },
          { sniHosts: ["x.db"], port: 5432 },
          { sniHosts: ["y.db"], gateways: ["edge"] },
          { sniHosts: ["z.db"], destinationSubnets: ["10.0.0.0/8"], port: 3306 },
        ],
        route: TO_A,
      },
      { match: [{ sniHosts: ["*.db"] }], route: [{ destination: { host: "hashed" } }] },
      {
        match: [{ sniHosts: ["*.db"] }],
        route: [{ destination: { host: "a" } }, { destination: { host: "b" } }],
      },
    ],
  });
  assert.deepEqual(translateTlsRoutes(vs, SCOPE), [
    { ...A, match: { subnets: [], port: 0, sniHosts: ["db"] } },
    { ...A, match: { subnets: ["10.0.0.0/8"], port: 3306, sniHosts: ["z.db"] } },
    {
      match: { subnets: [], port: 0, sniHosts: ["*.db"] },
      clusters: [{ cluster: "store/hashed/", weight: 1 }],
      hashSourceIp: true,
    },
  ]);
});
