import assert from "node:assert/strict";
import { documents, endpoint, manifest, serviceEntry } from "../../../../tests/support/manifest.ts";
import { analysisOf, messagesOf } from "../../../../tests/support/analysis_fixture.ts";

const PORTS = [
  { number: 80, name: "http", protocol: "HTTP" },
  { number: 90, name: "other", protocol: "HTTP" },
];
const A = serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, [
  endpoint(1, { version: "v1" }),
]);
const TWO_PORTS = manifest("ServiceEntry", "two", {
  hosts: ["two.test"],
  ports: PORTS,
  resolution: "STATIC",
  endpoints: [{ address: "127.0.0.1" }],
});
const RULE = manifest("DestinationRule", "a", {
  host: "a.test",
  subsets: [{ name: "v1", labels: { version: "v1" } }],
});

function routes(destination: object, more: object = {}): string {
  return manifest("VirtualService", "r", {
    hosts: ["r.test"],
    http: [{ route: [{ destination }] }],
    ...more,
  });
}

const AT = "spec.http[0].route[0].destination";
const CASES: readonly (readonly [name: string, yaml: string, ...messages: string[]])[] = [
  ["a host that exists", documents(A, routes({ host: "a.test" }))],
  [
    "a host that does not exist",
    documents(A, routes({ host: "b.test" })),
    `MSH0101 VirtualService/test/r: ${AT}.host: The host that is referred to does not exist: "b.test"`,
  ],
  [
    "a host that is exported to others alone",
    documents(A.replace("spec:", "spec:\n  exportTo: [other]"), routes({ host: "a.test" })),
    `MSH0101 VirtualService/test/r: ${AT}.host: The host that is referred to does not exist: "a.test"`,
  ],
  ["a port that exists", documents(TWO_PORTS, routes({ host: "two.test", port: { number: 90 } }))],
  [
    "a port that does not exist",
    documents(TWO_PORTS, routes({ host: "two.test", port: { number: 91 } })),
    `MSH0101 VirtualService/test/r: ${AT}.port.number: The port that is referred to does not exist: "two.test:91"`,
  ],
  [
    "a port that must be named",
    documents(TWO_PORTS, routes({ host: "two.test" })),
    `MSH0112 VirtualService/test/r: ${AT}: Service "two.test" has the ports 80, 90, and the destination names none of them`,
  ],
  ["a subset that exists", documents(A, RULE, routes({ host: "a.test", subset: "v1" }))],
  [
    "a subset that does not exist",
    documents(A, RULE, routes({ host: "a.test", subset: "v2" })),
    `MSH0101 VirtualService/test/r: ${AT}.subset: The subset that is referred to does not exist: "a.test/v2"`,
  ],
  [
    "a subset of a wildcard rule",
    documents(A, RULE.replace("a.test", '"*.test"'), routes({ host: "a.test", subset: "v1" })),
  ],
  [
    "mirrors, TLS and TCP",
    documents(
      A,
      routes({ host: "a.test" }, {
        http: [{ route: [{ destination: { host: "a.test" } }], mirror: { host: "m.test" } }],
        tls: [{ match: [{ sniHosts: ["r.test"] }], route: [{ destination: { host: "t.test" } }] }],
        tcp: [{ route: [{ destination: { host: "b.test" } }] }],
      }),
    ),
    'MSH0101 VirtualService/test/r: spec.http[0].mirror.host: The host that is referred to does not exist: "m.test"',
    'MSH0101 VirtualService/test/r: spec.tcp[0].route[0].destination.host: The host that is referred to does not exist: "b.test"',
    'MSH0101 VirtualService/test/r: spec.tls[0].route[0].destination.host: The host that is referred to does not exist: "t.test"',
  ],
  [
    "a Gateway that does not exist",
    documents(A, routes({ host: "a.test" }, { gateways: ["mesh", "edge"] })),
    'MSH0101 VirtualService/test/r: spec.gateways[1]: The gateway that is referred to does not exist: "edge"',
    "MSH0132 VirtualService/test/r: spec.hosts: Host r.test of VirtualService test/r is not among the hosts of Gateway test/edge",
  ],
  [
    "a delegate that does not exist",
    documents(A, routes({ host: "a.test" }, { http: [{ delegate: { name: "other" } }] })),
    'MSH0101 VirtualService/test/r: spec.http[0].delegate: The delegate VirtualService that is referred to does not exist: "test/other"',
  ],
  ["a rule with endpoints for its subset", documents(A, RULE)],
  [
    "a subset without endpoints",
    documents(A, RULE.replace("version: v1", "version: v9")),
    "MSH0173 DestinationRule/test/a: spec.subsets[0].labels: Subset v1 of the DestinationRule selects no endpoint",
  ],
  [
    "a rule for an unknown host",
    RULE,
    "MSH0174 DestinationRule/test/a: spec.host: Host a.test of the DestinationRule matches no service",
  ],
  ["a wildcard rule for known hosts", documents(A, RULE.replace("a.test", '"*.test"'))],
  [
    "a wildcard rule for unknown hosts",
    documents(A, RULE.replace("a.test", '"*.example"')),
    "MSH0174 DestinationRule/test/a: spec.host: Host *.example of the DestinationRule matches no service",
  ],
];

for (const [name, yaml, ...messages] of CASES) {
  Deno.test(`analysis of references: ${name}`, () => assert.deepEqual(messagesOf(yaml), messages));
}

Deno.test("analysis of references: a Gateway without the host", () => {
  const gateway = (host: string) =>
    manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: [host] }],
    });
  const bound = routes({ host: "a.test" }, { gateways: ["edge"] });
  const workloads = [{ namespace: "test", labels: { app: "edge" } }];
  const messages = (host: string) => messagesOf(documents(A, bound, gateway(host)), { workloads });
  for (const host of ["r.test", "*.test", "*", "test/r.test", "./r.test", "*/r.test"]) {
    assert.deepEqual(messages(host), [], host);
  }
  for (const host of ["s.test", "other/r.test"]) {
    assert.deepEqual(messages(host), [
      "MSH0132 VirtualService/test/r: spec.hosts: Host r.test of VirtualService test/r is not " +
      "among the hosts of Gateway test/edge",
    ], host);
  }
});

Deno.test("analysis of references: hosts of the orchestrator's services are known", () => {
  const known = "reviews.test.svc.cluster.local";
  const hosts = [{
    host: known,
    namespace: "test",
    ports: [80],
    exportTo: [],
    targets: [],
    selector: {},
  }];
  for (const host of ["reviews", known]) {
    assert.deepEqual(messagesOf(routes({ host }), { hosts }), [], host);
    assert.equal(messagesOf(routes({ host })).length, 1, host);
  }
  // Names with a dot are not completed.
  for (const host of ["reviews.test", "reviews.test.svc"]) {
    assert.equal(messagesOf(routes({ host }), { hosts }).length, 1, host);
  }
});

Deno.test("analysis of references: one host of several at a Gateway is enough", () => {
  const bound = routes({ host: "a.test" }, { gateways: ["edge"], hosts: ["r.test", "x.example"] });
  const gateway = manifest("Gateway", "edge", {
    selector: { app: "edge" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*.test"] }],
  });
  const workloads = [{ namespace: "test", labels: { app: "edge" } }];
  assert.deepEqual(messagesOf(documents(A, bound, gateway), { workloads }), []);
});

Deno.test("analysis of references: ports and visibility of the orchestrator's services", () => {
  const host = "reviews.test.svc.cluster.local";
  const one = {
    ...{ host, namespace: "test", ports: [80, 90], targets: [], selector: {} },
    exportTo: [] as string[],
  };
  const found = (destination: object, more: object, hosts: readonly typeof one[]) =>
    messagesOf(routes(destination, more), { hosts }).map((text) => text.split(" ", 1)[0]);
  const at = (number: number) => ({ host: "reviews", port: { number } });
  assert.deepEqual(found(at(90), {}, [one]), []);
  assert.deepEqual(found(at(91), {}, [one]), ["MSH0101"]);
  assert.deepEqual(found({ host: "reviews" }, {}, [one]), ["MSH0112"]);
  const limited = { ...one, exportTo: ["other"] };
  assert.deepEqual(found(at(90), {}, [limited]), ["MSH0101"]);
  // A VirtualService for other namespaces is used there.
  assert.deepEqual(found(at(90), { exportTo: ["other"] }, [limited]), []);
  assert.deepEqual(found(at(90), { exportTo: ["other"] }, [{ ...one, exportTo: ["."] }]), [
    "MSH0101",
  ]);
});

Deno.test("analysis of references: a ServiceEntry of a pattern has the hosts that it covers", () => {
  const entry = manifest("ServiceEntry", "all", {
    hosts: ["*.example.test"],
    ports: [{ number: 443, name: "tls", protocol: "TLS" }],
    resolution: "NONE",
  });
  const at = (host: string) => messagesOf(documents(entry, routes({ host }))).length;
  assert.equal(at("a.example.test"), 0);
  assert.equal(at("a.other.test"), 1);
});

Deno.test("an unknown host has a hint at a near one that the namespace sees", () => {
  const hintOf = (yaml: string) =>
    analysisOf(yaml).messages().find(({ code }) => code === "MSH0101" || code === "MSH0174")!
      .remedy.match(/^Did you mean "(.*?)"\? /)?.[1];
  const shop = serviceEntry("shop", ["shop.demo.mesh"], { number: 80, protocol: "HTTP" }, [
    endpoint(1),
  ]);
  const elsewhere = shop.replace("namespace: test", "namespace: other");
  assert.notEqual(elsewhere, shop);
  const route = routes({ host: "shpo.demo.mesh" });
  assert.equal(hintOf(documents(shop, route)), "shop.demo.mesh");
  assert.equal(hintOf(documents(elsewhere, route)), "shop.demo.mesh");
  assert.equal(
    hintOf(documents(elsewhere.replace("spec:", 'spec:\n  exportTo: ["."]'), route)),
    undefined,
  );
  assert.equal(hintOf(documents(shop, routes({ host: "payments.demo.mesh" }))), undefined);
  const rule = manifest("DestinationRule", "d", { host: "shop.dmeo.mesh" });
  assert.equal(hintOf(documents(shop, rule)), "shop.demo.mesh");
});
