/** The text of a user is a value of the YAML that templates make, never a part of it. */
import assert from "node:assert/strict";
import {
  gatewayObjects,
  injectPod,
  type Json,
  parseInjectionConfig,
  type Pod,
  waypointObjects,
} from "./mod.ts";
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import { inputOf, podOf } from "./testing.ts";

const ADDITIONS = [
  "a\n    lifecycle: {postStart: {exec: {command: [sh, -c, evil]}}}\n    x: y",
  'a"\n    - --evil\n    - "b',
  "a\n    - --evil",
  "a'}, evil: {",
  "a # b: {{ evil }}",
];

/** Annotations that templates read, with a value that is accepted. */
const ANNOTATIONS: Readonly<Record<string, string>> = {
  "apm.datadoghq.com/env": '{"A": "b"}',
  "mesh.io/reroute-virtual-interfaces": "a",
  "k8s.v1.cni.cncf.io/networks": "a",
  "kubectl.kubernetes.io/default-container": "a",
  "proxy.mesh.io/config": "proxyMetadata: {A: b}",
  "readiness.status.sidecar.mesh.io/failureThreshold": "1",
  "readiness.status.sidecar.mesh.io/initialDelaySeconds": "1",
  "readiness.status.sidecar.mesh.io/periodSeconds": "1",
  "sidecar.mesh.io/agentLogLevel": "a",
  "sidecar.mesh.io/bootstrapOverride": "a",
  "sidecar.mesh.io/capNetBindService": "a",
  "sidecar.mesh.io/componentLogLevel": "a",
  "sidecar.mesh.io/interceptionMode": "REDIRECT",
  "sidecar.mesh.io/logLevel": "a",
  "sidecar.mesh.io/nativeSidecar": "false",
  "sidecar.mesh.io/proxyCPU": "1",
  "sidecar.mesh.io/proxyCPULimit": "1",
  "sidecar.mesh.io/proxyImage": "a/b",
  "sidecar.mesh.io/proxyImageType": "a",
  "sidecar.mesh.io/proxyMemory": "1",
  "sidecar.mesh.io/proxyMemoryLimit": "1",
  "sidecar.mesh.io/userVolume": '{"a": {"emptyDir": {}}}',
  "sidecar.mesh.io/userVolumeMount": '{"a": {"mountPath": "/a"}}',
  "status.sidecar.mesh.io/port": "15999",
  "traffic.sidecar.mesh.io/excludeInboundPorts": "1",
  "traffic.sidecar.mesh.io/excludeInterfaces": "a",
  "traffic.sidecar.mesh.io/excludeOutboundIPRanges": "10.0.0.0/8",
  "traffic.sidecar.mesh.io/excludeOutboundPorts": "1",
  "traffic.sidecar.mesh.io/includeInboundPorts": "1",
  "traffic.sidecar.mesh.io/includeOutboundIPRanges": "10.0.0.0/8",
  "traffic.sidecar.mesh.io/includeOutboundPorts": "1",
  "traffic.sidecar.mesh.io/kubevirtInterfaces": "a",
};

const CONFIG = parseInjectionConfig({
  config: "",
  values: JSON.stringify({ global: { proxy: { tracer: "datadog" } } }),
});

/** The shape of a value: keys, and the lengths of lists. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one)]));
}

function shapeOf(template: string, annotation: string, value: string): unknown {
  const annotations = { "inject.mesh.io/templates": template, [annotation]: value };
  const pod: Pod = injectPod(podOf({ annotations }), inputOf({}, CONFIG));
  return shape(JSON.parse(JSON.stringify(pod)));
}

for (const [annotation, benign] of Object.entries(ANNOTATIONS)) {
  Deno.test(`an annotation adds nothing to the YAML: ${annotation}`, () => {
    for (const template of ["sidecar", "gateway", "grpc-agent", "grpc-simple"]) {
      const expected = shapeOf(template, annotation, benign);
      for (const addition of ADDITIONS) {
        let found: unknown;
        try {
          found = shapeOf(template, annotation, addition);
        } catch {
          continue; // Refused.
        }
        assert.deepEqual(found, expected, `${template}: ${addition}`);
      }
    }
  });
}

Deno.test("the table has all annotations that the built-in templates read", () => {
  for (const [template, text] of Object.entries(CONFIG.texts)) {
    if (template === "waypoint" || template === "kube-gateway") continue;
    const read = text.matchAll(/(?:annotation \S+|Annotations) "([^"]+)"/g);
    for (const [, name] of read) assert.ok(name! in ANNOTATIONS, `${template}: ${name}`);
  }
});

Deno.test("keys of annotations with JSON add nothing to the YAML", () => {
  for (const addition of ADDITIONS) {
    const volumes = JSON.stringify({ [addition]: { emptyDir: {} } });
    const expected = '{"a": {"emptyDir": {}}}';
    const name = "sidecar.mesh.io/userVolume";
    assert.deepEqual(shapeOf("sidecar", name, volumes), shapeOf("sidecar", name, expected));
    const metadata = JSON.stringify({ proxyMetadata: { [addition]: addition } });
    const config = "proxy.mesh.io/config";
    assert.deepEqual(
      shapeOf("sidecar", config, metadata),
      shapeOf("sidecar", config, "proxyMetadata: {A: b}"),
    );
  }
});

Deno.test("the author of a Gateway adds nothing to the YAML of its objects", () => {
  const objects = (text: string): readonly Json[] =>
    [waypointObjects, gatewayObjects].flatMap((render) =>
      render({
        name: text,
        namespace: text,
        uid: text,
        deploymentName: text,
        serviceAccount: text,
        gatewayNameLabel: "a",
        ports: [{ name: text, port: 1, protocol: "TCP", appProtocol: text }],
        serviceType: text,
        loadBalancerIP: text,
        infrastructureLabels: { a: text, "topology.mesh.io/network": text },
        infrastructureAnnotations: {
          "sidecar.mesh.io/logLevel": text,
          "sidecar.mesh.io/componentLogLevel": text,
          "sidecar.mesh.io/agentLogLevel": text,
          "sidecar.mesh.io/proxyImage": text,
        },
        revision: text,
        kubeVersion: 136,
        mesh: defaultMeshConfig(),
      }, CONFIG)
    );
  for (const addition of ADDITIONS) {
    assert.deepEqual(objects(addition).map(shape), objects("a").map(shape), addition);
  }
});
