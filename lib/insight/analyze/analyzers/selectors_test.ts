import assert from "node:assert/strict";
import { documents, manifest } from "../../../../tests/support/manifest.ts";
import { messagesOf } from "../../../../tests/support/analysis_fixture.ts";

const EDGE = { namespace: "test", labels: { app: "edge", tier: "1" } };
const gateway = (name: string, hosts: readonly string[], selector: object = { app: "edge" }) =>
  manifest("Gateway", name, {
    selector,
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts }],
  });
const security = (kind: string, selector: object, namespace = "test", more: object = {}) =>
  manifest(kind, "p", { selector: { matchLabels: selector }, ...more }, namespace)
    .replace("networking", "security");
const level = (kind: string, name: string, labels?: object) =>
  kind === "Sidecar"
    ? manifest(kind, name, {
      ...labels && { workloadSelector: { labels } },
      egress: [{ hosts: ["./*"] }],
    })
    : manifest(kind, name, { ...labels && { selector: { matchLabels: labels } } })
      .replace("networking", "telemetry");

const CASES: readonly (readonly [name: string, yaml: string, ...messages: string[]])[] = [
  ["a Gateway with a workload", gateway("a", ["a.test"])],
  [
    "a Gateway without a workload",
    gateway("a", ["a.test"], { app: "edge", tier: "2" }),
    'MSH0101 Gateway/test/a: spec.selector: The selector that is referred to does not exist: "app=edge,tier=2"',
  ],
  ["Gateways with different hosts", documents(gateway("a", ["a.test"]), gateway("b", ["b.test"]))],
  [
    "Gateways with overlapping hosts",
    documents(gateway("a", ["*.test"]), gateway("b", ["b.test"])),
  ],
  [
    "Gateways with the same host, one with a wider selector",
    documents(gateway("a", ["b.test", "a.test"]), gateway("b", ["b.test"], EDGE.labels)),
    "MSH0145 Gateway/test/a: spec.servers[0].hosts: Gateways test/a, test/b conflict: workload selector app=edge, port 80, hosts b.test",
    "MSH0145 Gateway/test/b: spec.servers[0].hosts: Gateways test/a, test/b conflict: workload selector app=edge,tier=1, port 80, hosts b.test",
  ],
  [
    "Gateways with hosts of different namespaces",
    documents(gateway("a", ["one/b.test"]), gateway("b", ["two/b.test"])),
  ],
  [
    "Gateways of different workloads",
    documents(gateway("a", ["b.test"]), gateway("b", ["b.test"], { tier: "1" })),
  ],
  ["a policy with a workload", security("AuthorizationPolicy", { app: "edge" })],
  [
    "a policy without a workload",
    security("AuthorizationPolicy", { app: "nobody" }),
    "MSH0127 AuthorizationPolicy/test/p: spec.selector: No workload has the labels app=nobody",
  ],
  [
    "a policy of another namespace",
    security("PeerAuthentication", { app: "edge" }, "other", { mtls: { mode: "STRICT" } }),
    "MSH0127 PeerAuthentication/other/p: spec.selector: No workload has the labels app=edge",
  ],
  [
    "a policy of the root namespace",
    security("AuthorizationPolicy", { app: "edge" }, "mesh-system"),
  ],
  ...(["Sidecar", "Telemetry"] as const).flatMap((kind) => {
    const [same, without, path] = kind === "Sidecar"
      ? ["MSH0110", "MSH0111", "spec.workloadSelector"]
      : ["MSH0159", "MSH0160", "spec.selector"];
    const plural = kind === "Sidecar" ? "Sidecars" : "Telemetries";
    return [
      [`a ${kind}`, documents(level(kind, "a"), level(kind, "b", { app: "edge" }))],
      [
        `a ${kind} without a workload`,
        level(kind, "a", { app: "x" }),
        `MSH0101 ${kind}/test/a: ${path}: The selector that is referred to does not exist: "app=x"`,
      ],
      [
        `${plural} without selectors`,
        documents(level(kind, "a"), level(kind, "b")),
        ...["a", "b"].map((name) =>
          `${without} ${kind}/test/${name}: ${plural} a, b in namespace "test" all lack a workload selector`
        ),
      ],
      [
        `${plural} of one workload`,
        documents(level(kind, "a", { app: "edge" }), level(kind, "b", { tier: "1" })),
        ...["a", "b"].map((name) =>
          `${same} ${kind}/test/${name}: ${path}: ${plural} a, b in namespace "test" select the same workload app=edge,tier=1`
        ),
      ],
    ] as const;
  }),
];

for (const [name, yaml, ...messages] of CASES) {
  Deno.test(`analysis of selectors: ${name}`, () => {
    assert.deepEqual(messagesOf(yaml, { workloads: [EDGE] }), messages);
  });
}

Deno.test("analysis of selectors: nothing is said while workloads may be unknown", () => {
  assert.deepEqual(messagesOf(gateway("a", ["a.test"]), { complete: false }), []);
});

Deno.test("analysis of selectors: an access policy is for workloads in the mesh", () => {
  const policy = (selector?: object) =>
    manifest("AuthorizationPolicy", "p", { ...selector && { selector } }).replace(
      "networking",
      "security",
    );
  const outside = { ...EDGE, outside: true };
  const found = (selector: object | undefined, ...workloads: typeof EDGE[]) =>
    messagesOf(policy(selector), { workloads });
  assert.deepEqual(found({ matchLabels: { app: "edge" } }, outside), [
    "MSH0127 AuthorizationPolicy/test/p: spec.selector: No workload has the labels app=edge",
  ]);
  assert.deepEqual(found({ matchLabels: { app: "edge" } }, outside, EDGE), []);
  assert.equal(found(undefined, outside).length, 1);
  assert.equal(found(undefined, EDGE).length, 0);
});

Deno.test("analysis of selectors: WorkloadEntries and endpoints are workloads", () => {
  const policy = security("AuthorizationPolicy", { app: "edge" });
  const entry = manifest("WorkloadEntry", "w", { address: "10.0.0.1", labels: { app: "edge" } });
  assert.deepEqual(messagesOf(documents(policy, entry)), []);
  const service = manifest("ServiceEntry", "s", {
    hosts: ["a.test"],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints: [{ address: "10.0.0.1", labels: { app: "edge" } }],
  });
  assert.deepEqual(messagesOf(documents(policy, service)), []);
});

Deno.test("analysis of hosts: VirtualServices of one host, and ServiceEntries of different protocols", () => {
  const routes = (name: string, more: object = {}) =>
    manifest("VirtualService", name, {
      hosts: ["r.test"],
      http: [{ redirect: { uri: "/x" } }],
      ...more,
    });
  assert.deepEqual(
    messagesOf(documents(routes("a"), routes("b"))),
    ["a", "b"].map((name) =>
      `MSH0109 VirtualService/test/${name}: spec.hosts[0]: VirtualServices test/a, test/b of the ` +
      "mesh gateway define the same host r.test"
    ),
  );
  // A VirtualService that all namespaces see meets one of few, for patterns too.
  const pattern = documents(
    routes("a", { hosts: ["*.test"] }),
    routes("b", { hosts: ["r.test"], exportTo: ["one"] }),
  );
  assert.deepEqual(messagesOf(pattern).map((text) => text.split(":")[0]), [
    "MSH0109 VirtualService/test/a",
    "MSH0109 VirtualService/test/b",
  ]);
  const both = documents(routes("a", { hosts: ["*.test"] }), routes("b", { hosts: ["r.test"] }));
  assert.deepEqual(messagesOf(both), []);
  const apart = documents(routes("a", { exportTo: ["one"] }), routes("b", { exportTo: ["two"] }));
  assert.deepEqual(messagesOf(apart), []);
  const entry = (name: string, protocol: string) =>
    manifest("ServiceEntry", name, {
      hosts: ["a.test"],
      ports: [{ number: 80, name: "p", protocol }],
      resolution: "STATIC",
      endpoints: [{ address: "10.0.0.1" }],
    });
  assert.deepEqual(messagesOf(documents(entry("a", "HTTP"), entry("b", "HTTP"))), []);
  const apartBy = 'ServiceEntries test/a, test/b define host "a.test" port 80 with different ' +
    "protocols: HTTP, TCP";
  assert.deepEqual(messagesOf(documents(entry("a", "HTTP"), entry("b", "TCP"))), [
    `MSH0177 ServiceEntry/test/a: spec.ports[0].protocol: ${apartBy}`,
    "MSH0134 ServiceEntry/test/b: spec.ports[0].protocol: The port needs addresses: its protocol is TCP or not given",
    `MSH0177 ServiceEntry/test/b: spec.ports[0].protocol: ${apartBy}`,
  ]);
  const scoped = (name: string, protocol: string, namespace: string, ...exportTo: string[]) =>
    entry(name, protocol).replace("namespace: test", `namespace: ${namespace}`)
      .replace("spec:", `spec:\n  exportTo: [${exportTo.join(", ")}]`);
  const codes = (...list: string[]) =>
    messagesOf(documents(...list)).map((text) => text.split(":", 1)[0])
      .filter((text) => text!.startsWith("MSH0177"));
  assert.deepEqual(codes(scoped("a", "HTTP", "one", "."), scoped("b", "tcp", "two", ".")), []);
  assert.deepEqual(codes(scoped("a", "HTTP", "one", "two"), scoped("b", "TCP", "two", ".")), [
    "MSH0177 ServiceEntry/one/a",
    "MSH0177 ServiceEntry/two/b",
  ]);
});
