import assert from "node:assert/strict";
import { readSpec } from "../../../tests/support/spec_text.ts";

const SUITE = "ECDHE-RSA-AES128-GCM-SHA256";
const server = (protocol: string, tls: string) =>
  `servers: [{hosts: ["*"], port: {number: 443, name: a, protocol: ${protocol}}, tls: {${tls}}}]`;
const tls = "spec.servers[0].tls";
const entry = (text: string, protocol = "TLS") =>
  `{ports: [{number: 443, name: a, protocol: ${protocol}}], ${text}}`;
const egress = (hosts: string) => `egress: [{hosts: [${hosts}]}]`;
const ingress = (protocol: string) =>
  `ingress: [{port: {number: 80, protocol: ${protocol}, name: a}, defaultEndpoint: "127.0.0.1:80", ` +
  "connectionPool: {http: {http1MaxPendingRequests: 2}}}]";
const sni = (host: string) =>
  `{hosts: ["${host}"], tls: [{match: [{port: 443, sniHosts: ["${host}"]}], ` +
  "route: [{destination: {host: x}}]}]}";
const route = (more: string) =>
  `{hosts: [a.test], http: [{route: [{destination: {host: x}}], ${more}}]}`;

/** Specifications with the warnings about them: `code path`. */
const CASES: readonly (readonly [kind: string, spec: string, ...warnings: string[]])[] = [
  [
    "Gateway",
    server("HTTPS", "httpsRedirect: true, mode: SIMPLE, credentialName: a"),
    `no-effect ${tls}.httpsRedirect`,
  ],
  ["Gateway", server("HTTP", "httpsRedirect: true")],
  [
    "Gateway",
    server("HTTPS", "mode: SIMPLE, credentialName: a, minProtocolVersion: TLSV1_1"),
    `no-effect ${tls}.minProtocolVersion`,
  ],
  ["Gateway", server("HTTPS", "mode: SIMPLE, credentialName: a, minProtocolVersion: TLSV1_2")],
  [
    "Gateway",
    server(
      "HTTPS",
      `mode: SIMPLE, credentialName: a, minProtocolVersion: TLSV1_0, cipherSuites: [${SUITE}]`,
    ),
  ],
  [
    "Gateway",
    server("TLS", "mode: PASSTHROUGH, credentialName: a"),
    `no-effect ${tls}.credentialName`,
  ],
  [
    "Gateway",
    server("TLS", "mode: AUTO_PASSTHROUGH, serverCertificate: a, privateKey: b"),
    `no-effect ${tls}.serverCertificate`,
  ],
  [
    "Gateway",
    server("HTTPS", `mode: SIMPLE, credentialName: a, cipherSuites: [${SUITE}, ${SUITE}]`),
    `duplicate ${tls}.cipherSuites[1]`,
  ],
  [
    "Sidecar",
    `{workloadSelector: {labels: {}}, ${egress('"./*"')}}`,
    "empty-selector spec.workloadSelector",
  ],
  ["Sidecar", egress('"./a", "./a"'), "duplicate spec.egress[0].hosts[1]"],
  ["Sidecar", egress('"*/*", "./b"'), "no-effect spec.egress[0].hosts[1]"],
  ["Sidecar", egress('"*/a", "./b"')],
  ["Sidecar", ingress("TCP"), "no-effect spec.ingress[0].connectionPool.http"],
  ["Sidecar", ingress("GRPC")],
  ["VirtualService", sni("1.2.3.4"), "no-effect spec.tls[0].match[0].sniHosts[0]"],
  ["VirtualService", sni("a.test")],
  ["VirtualService", route("fault: {abort: {}}"), "required spec.http[0].fault.abort"],
  [
    "VirtualService",
    route("mirror: {host: m}, mirrorPercent: 3"),
    "deprecated spec.http[0].mirrorPercent",
  ],
  ["VirtualService", route("corsPolicy: {allowOrigin: [a]}")],
  ["WorkloadEntry", "network: far", "no-address spec.network"],
  ["WorkloadEntry", "{network: far, address: 1.2.3.4}"],
  ["ServiceEntry", entry('hosts: ["*a.test"], resolution: NONE'), "partial-wildcard spec.hosts[0]"],
  ["ServiceEntry", entry('hosts: ["*.a.test"], resolution: NONE')],
  [
    "ServiceEntry",
    "{hosts: [a.test], resolution: NONE, ports: [{number: 1, name: a, protocol: TLS, targetPort: 2}]}",
    "no-effect spec.ports[0].targetPort",
  ],
  [
    "ServiceEntry",
    entry("hosts: [a.test], resolution: NONE, workloadSelector: {labels: {a: b}}"),
    "no-effect spec.workloadSelector",
  ],
  [
    "ServiceEntry",
    entry("hosts: [a.test], resolution: DYNAMIC_DNS, workloadSelector: {labels: {a: b}}"),
    "no-effect spec.workloadSelector",
  ],
  ["ServiceEntry", entry("hosts: [a.test], resolution: DNS, workloadSelector: {labels: {a: b}}")],
  [
    "ServiceEntry",
    entry("hosts: [a.test], resolution: STATIC, workloadSelector: {labels: {}}"),
    "empty-selector spec.workloadSelector",
  ],
  [
    "ServiceEntry",
    entry("hosts: [a.test, b.test], addresses: [1.2.3.4], resolution: NONE", "TCP"),
    "shared-address spec.ports[0].protocol",
  ],
  ["ServiceEntry", entry("hosts: [a.test, b.test], addresses: [1.2.3.4], resolution: NONE")],
  ["ServiceEntry", entry("hosts: [a.test], addresses: [1.2.3.4], resolution: NONE", "TCP")],
];

for (const [kind, spec, ...wanted] of CASES) {
  Deno.test(`warnings: ${kind} ${spec}`, () => {
    const { objects, problems, warnings } = readSpec(kind, spec);
    assert.deepEqual(problems, []);
    assert.equal(objects.length, 1);
    assert.deepEqual(warnings.map(({ code, path }) => `${code} ${path}`), wanted);
    for (const { message, remedy } of warnings) {
      assert.match(message, /[^.]$/);
      assert.match(remedy, /[.?]$/);
    }
  });
}

Deno.test("warnings: names of headers of probes have letters, digits, dashes and underscores", () => {
  const group = (name: string) =>
    `{template: {}, probe: {httpGet: {port: 80, httpHeaders: [{name: "${name}", value: v}]}}}`;
  for (const name of ["X-a_1", "a"]) {
    assert.deepEqual(readSpec("WorkloadGroup", group(name)).problems, [], name);
  }
  for (const name of ["a.b", "a b", "a!", ":a", ""]) {
    const { problems } = readSpec("WorkloadGroup", group(name));
    const paths = problems.map(({ path }) => path);
    assert.deepEqual(paths, ["spec.probe.httpGet.httpHeaders[0].name"], name);
  }
});
