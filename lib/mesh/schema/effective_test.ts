import assert from "node:assert/strict";
import type { DescField, DescMessage } from "../../kit/proto/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { type EffectiveFields, KINDS, MESH_CONFIG_FIELDS, MESH_NETWORKS_FIELDS } from "./mod.ts";
import { readSpec } from "../../../tests/support/spec_text.ts";

function ineffective(kind: string, spec: string): string[] {
  const { objects, warnings } = readSpec(kind, spec);
  assert.equal(objects.length, 1, spec);
  return warnings.filter(({ code }) => code === "no-effect")
    .map(({ path, line }) => `${path} ${line - 4}`);
}

Deno.test("effective: ineffective fields are warned about, at their position", () => {
  const to = "route: [{destination: {host: a}}]";
  const ports = "ports: [{number: 80, name: a}]";
  const cases: [string, string, ...string[]][] = [
    ["ServiceEntry", `hosts: [a]\n${ports}\nresolution: DNS\nlocation: MESH_INTERNAL`],
    ["ServiceEntry", `hosts: ["*.a"]\n${ports}\nresolution: DYNAMIC_DNS`],
    [
      "WorkloadEntry",
      "address: 1.1.1.1\nnetwork: x\nserviceAccount: z",
    ],
    [
      "VirtualService",
      `hosts: [a]\nhttp: [{${to}, timeout: 1s, headers: {request: {remove: [x]}}}]`,
    ],
    [
      "VirtualService",
      `hosts: [a]\nhttp:\n- match:\n  - uri: {prefix: /}\n    source_labels: {a: b}\n    statPrefix: x\n  ${to}`,
    ],
    ["VirtualService", `hosts: [a]\ntls: [{match: [{sniHosts: [a], port: 443}], ${to}}]`],
    [
      "VirtualService",
      `hosts: [a]\ntls: [{match: [{sniHosts: [a], sourceLabels: {b: c}}], ${to}}]`,
    ],
    ["VirtualService", "hosts: [a]\nhttp: [{delegate: {name: x}}]"],
    [
      "DestinationRule",
      "host: a\ntrafficPolicy:\n  tls: {mode: MESH_MUTUAL}\n  loadBalancer:\n    simple: RANDOM\n    warmup: {duration: 1s}",
      "spec.trafficPolicy.loadBalancer.warmup 6",
    ],
    [
      "DestinationRule",
      "host: a\nsubsets: [{name: v, trafficPolicy: {portLevelSettings: [{port: {number: 1}, tls: {mode: SIMPLE, credentialName: x}}]}}]",
    ],
    ["DestinationRule", "host: a\ntrafficPolicy: {tls: null, connectionPool: {tcp: {}}}"],
    [
      "Gateway",
      "servers:\n- hosts: [a]\n  port: {number: 1, name: a, protocol: TLS}\n  tls: {mode: AUTO_PASSTHROUGH}",
    ],
    [
      "Gateway",
      "servers:\n- hosts: [a]\n  port: {number: 1, name: a, protocol: HTTPS}\n  tls: {mode: SIMPLE, credentialName: x}",
    ],
    [
      "Gateway",
      "servers:\n- hosts: [a]\n  port: {number: 1, name: a, protocol: HTTPS}\n  tls: {mode: SIMPLE, serverCertificate: c, privateKey: k}",
    ],
    ["Sidecar", 'egress: [{hosts: ["./*"], port: {number: 1}, bind: 1.1.1.1, captureMode: NONE}]'],
    ["Sidecar", "inboundConnectionPool: {http: {}}"],
    [
      "DestinationRule",
      "host: a\nworkloadSelector: {matchLabels: {a: b}}\ntrafficPolicy: {loadBalancer: {consistentHash: {useSourceIp: true}}}",
      "spec.trafficPolicy.loadBalancer.consistentHash 3",
    ],
  ];
  for (const [kind, spec, ...expected] of cases) {
    assert.deepEqual(ineffective(kind, spec), expected, spec);
  }
});

Deno.test("effective: every path of a table names a field, every value a value of it", () => {
  const tables: readonly (readonly [string, DescMessage, EffectiveFields])[] = [
    ...KINDS.map(({ kind, schema, effective }) => [kind, schema, effective] as const),
    ["MeshConfig", MeshConfigSchema, MESH_CONFIG_FIELDS],
    ["MeshNetworks", MeshNetworksSchema, MESH_NETWORKS_FIELDS],
  ];
  for (const [kind, root, { paths, ineffectiveValues = {} }] of tables) {
    for (const path of [...paths, ...Object.keys(ineffectiveValues)]) {
      let schema: DescMessage | undefined = root;
      for (const step of path.split(".")) {
        const name = step.replace("[]", "");
        const field: DescField | undefined = schema?.fields.find((one) => one.jsonName === name);
        assert.ok(field, `${kind}: ${path}`);
        if (step.endsWith("[]")) assert.equal(field.fieldKind, "list", `${kind}: ${path}`);
        for (const value of ineffectiveValues[path] ?? []) {
          const names: string[] | undefined = path.endsWith(step)
            ? field.enum?.values.map((one) => one.name)
            : undefined;
          assert.ok(names === undefined || names.includes(value), `${kind}: ${path} ${value}`);
        }
        schema = field.message;
      }
    }
  }
});
