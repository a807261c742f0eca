/**
 * Random configuration of all kinds, with fields and names that refer to each other. Some documents
 * break a rule and are rejected; most are served.
 *
 * @module
 */
import fc from "fast-check";
import { manifest, type Spec } from "../../support/manifest.ts";
import { HOSTS, http, SUBSETS, tcp } from "./generate_routes.ts";
import { optional, trafficPolicy } from "./generate_policies.ts";

/** A service that every Sidecar imports; it shows which version is served. */
export const MARKER = "marker.test";

const NAMESPACES = ["test", "other", "mesh-system"];

/** Ports of services: number, name and protocol. */
const PORTS: readonly Spec[] = [
  { number: 80, name: "http", protocol: "HTTP" },
  { number: 8080, name: "http-alt", protocol: "HTTP" },
  { number: 8081, name: "http2", protocol: "HTTP2" },
  { number: 8082, name: "grpc", protocol: "GRPC" },
  { number: 8083, name: "grpc-web", protocol: "GRPC-WEB" },
  { number: 9000, name: "tcp", protocol: "TCP" },
  { number: 9001, name: "auto", protocol: "" },
  { number: 443, name: "https", protocol: "HTTPS" },
  { number: 8443, name: "tls", protocol: "TLS" },
  { number: 3306, name: "mysql", protocol: "MySQL" },
  { number: 27017, name: "mongo", protocol: "Mongo" },
  { number: 6379, name: "redis", protocol: "Redis" },
  { number: 53, name: "udp", protocol: "UDP" },
];

const exportTo = fc.constantFrom<string[]>([], ["*"], ["."], ["test"], ["test", "other"]);
const version = fc.constantFrom(...SUBSETS).map((v) => ({ version: v }));

/** The addresses of the proxies are among them, so that some services are their own. */
const endpoint = fc.record({
  address: fc.constantFrom("127.0.6.1", "127.0.6.2", "127.0.7.1", "10.0.0.1", "10.0.0.2", "::1"),
  labels: version,
  weight: fc.constantFrom(0, 1, 5),
  locality: fc.constantFrom("", "here", "here/one", "here/one/x", "there/two"),
});

const dnsEndpoint = fc.record({
  address: fc.constantFrom("localhost", "127.0.0.1", "a.b.test"),
  labels: version,
});

const common = {
  hosts: fc.uniqueArray(fc.constantFrom(...HOSTS), { minLength: 1, maxLength: 2 }),
  ports: fc.uniqueArray(fc.constantFrom(...PORTS), { minLength: 1, maxLength: 4 }),
  location: fc.constantFrom("MESH_INTERNAL", "MESH_EXTERNAL"),
  exportTo: fc.oneof(exportTo, fc.constant(["~"])),
};

const singles = fc.uniqueArray(fc.constantFrom("10.1.0.1", "10.1.0.2", "2001:db8::1"), {
  maxLength: 2,
});

const serviceEntry: fc.Arbitrary<Spec> = fc.oneof(
  fc.record({
    ...common,
    resolution: fc.constant("STATIC"),
    endpoints: fc.array(endpoint, { maxLength: 3 }),
    addresses: fc.oneof(singles, fc.constant(["10.2.0.0/24"])),
  }),
  fc.record({
    ...common,
    resolution: fc.constantFrom("STATIC", "DNS"),
    workloadSelector: version.map((labels) => ({ labels })),
    addresses: singles,
  }),
  fc.record({
    ...common,
    resolution: fc.constant("NONE"),
    addresses: fc.oneof(singles, fc.constant(["10.3.0.0/16", "10.1.0.1"])),
  }),
  fc.record({
    ...common,
    resolution: fc.constant("DNS"),
    endpoints: fc.array(dnsEndpoint, { minLength: 1, maxLength: 2 }),
    addresses: singles,
  }),
  fc.record({
    ...common,
    resolution: fc.constant("DNS_ROUND_ROBIN"),
    endpoints: fc.array(dnsEndpoint, { minLength: 1, maxLength: 1 }),
  }),
);

const workloadEntry: fc.Arbitrary<Spec> = fc.record({
  address: fc.constantFrom("127.0.6.1", "127.0.7.2", "10.0.0.9"),
  labels: version,
  ports: fc.constantFrom({}, { http: 8000 }, { tcp: 9999, http: 80 }),
});

const destinationRule: fc.Arbitrary<Spec> = fc.record({
  host: fc.constantFrom(...HOSTS),
  ...optional({ trafficPolicy }),
  subsets: fc.uniqueArray(fc.constantFrom(...SUBSETS), { maxLength: 3 }).chain((names) =>
    fc.tuple(...names.map((name) =>
      fc.record({
        name: fc.constant(name),
        labels: fc.constant({ version: name }),
        ...optional({ trafficPolicy }),
      }, { requiredKeys: ["name", "labels"] })
    ))
  ),
  exportTo,
}, { requiredKeys: ["host", "subsets"] });

const GATEWAYS = ["gate-0", "gate-1", "test/gate-0"];

const virtualService: fc.Arbitrary<Spec> = fc.record({
  hosts: fc.uniqueArray(fc.constantFrom(...HOSTS, "only-routed.test"), {
    minLength: 1,
    maxLength: 2,
  }),
  gateways: fc.uniqueArray(fc.constantFrom("mesh", ...GATEWAYS), { maxLength: 3 }),
  http: fc.array(http, { maxLength: 4 }),
  tcp: fc.array(tcp, { maxLength: 2 }),
  exportTo,
}, { requiredKeys: ["hosts", "http"] });

/** Ports of gateways are far from those of services and of the harness: they are bound. */
function server(ports: readonly number[]): fc.Arbitrary<Spec> {
  return fc.record({
    port: fc.record({
      number: fc.constantFrom(...ports),
      name: fc.uuid(),
      protocol: fc.constantFrom("HTTP", "HTTP", "HTTP2", "GRPC", "TCP"),
    }),
    bind: fc.constantFrom("127.0.8.3", "127.0.8.4"),
    hosts: fc.uniqueArray(
      fc.constantFrom("*", "a.test", "*.wild.test", "other/*", "./b.test", "test/c.test"),
      { minLength: 1, maxLength: 3 },
    ),
  });
}

const egress: fc.Arbitrary<Spec> = fc.record({
  hosts: fc.uniqueArray(
    fc.constantFrom("./*", "*/*", "*/a.test", "other/*", "~/*", "test/*.wild.test"),
    { minLength: 1, maxLength: 3 },
  ).map((hosts) => [...hosts, `*/${MARKER}`]),
});

/** Sidecars of redirected proxies; those that bind would need free ports. */
const sidecar: fc.Arbitrary<Spec> = fc.record({
  workloadSelector: fc.constant({ labels: { kind: "captured" } }),
  egress: fc.tuple(
    fc.uniqueArray(fc.constantFrom(80, 8080, 9000), { maxLength: 2 }).chain((numbers) =>
      fc.tuple(...numbers.map((number) =>
        egress.map((e) => ({
          ...e,
          port: { number, name: `p-${number}`, protocol: number === 9000 ? "TCP" : "HTTP" },
        }))
      ))
    ),
    egress,
  ).map(([listed, open]) => [...listed, open]),
  ...optional({
    ingress: fc.constant([
      { port: { number: 8000, protocol: "HTTP", name: "in" }, defaultEndpoint: "127.0.0.1:8001" },
      { port: { number: 8002, protocol: "TCP", name: "in-tcp" } },
    ]),
    outboundTrafficPolicy: fc.constantFrom({ mode: "REGISTRY_ONLY" }, { mode: "ALLOW_ANY" }),
  }),
}, { requiredKeys: ["workloadSelector", "egress"] });

/** Generators of objects of each kind, and the number of shared names. */
type Kinds = readonly (readonly [kind: string, names: number, spec: fc.Arbitrary<Spec>])[];

/**
 * Texts of files by name. Names repeat from one sample to the next, so that objects
 * change, come and go.
 *
 * @param seed the same seed gives the same files
 * @param ports what gateways may bind
 */
export function randomFiles(seed: number, ports: readonly number[]): Record<string, string> {
  const kinds: Kinds = [
    ["ServiceEntry", 10, serviceEntry],
    ["WorkloadEntry", 4, workloadEntry],
    ["DestinationRule", 8, destinationRule],
    ["VirtualService", 10, virtualService],
    [
      "Gateway",
      2,
      fc.record({
        selector: fc.constant({ kind: "router" }),
        servers: fc.array(server(ports), { minLength: 1, maxLength: 3 }),
      }),
    ],
    ["Sidecar", 2, sidecar],
  ];
  const files: Record<string, string> = {};
  for (const [kind, names, spec] of kinds) {
    const drawn = fc.sample(fc.tuple(fc.constantFrom(...NAMESPACES), fc.boolean(), spec), {
      numRuns: names,
      seed: seed + kind.length,
    });
    drawn.forEach(([namespace, there, value], i) => {
      const home = kind === "Gateway" || kind === "Sidecar" ? "test" : namespace;
      const name = kind === "Gateway" ? `gate-${i}` : `${kind.toLowerCase()}-${i}`;
      if (there || i % 3 > 0) files[`${name}.yaml`] = manifest(kind, name, value, home);
    });
  }
  return files;
}
