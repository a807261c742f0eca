/** No annotation of pods is silent: each changes the injected pod, and its value is found there. */
import assert from "node:assert/strict";
import { parseInjectionConfig, type Pod } from "./mod.ts";
import { injectedPod, type PodChange } from "./testing.ts";

/** An annotation, and a text of the pod that is injected with it and not without. */
type Case = readonly [annotation: string, value: string, found: string, more?: CaseSetup];

/** The parts of a case beside its annotation. */
interface CaseSetup {
  readonly pod?: PodChange;
  readonly values?: object;
}

const PROBED = {
  containers: [{
    name: "web",
    image: "web:1",
    readinessProbe: { httpGet: { path: "/ok", port: 8080 } },
  }],
};
const PLUGIN = { values: { pilot: { cni: { enabled: true } } } };
const MULTUS = { values: { pilot: { cni: { enabled: true, provider: "multus" } } } };

const CASES: readonly Case[] = [
  ["inject.mesh.io/templates", "grpc-agent", "MESH_META_GENERATOR"],
  ["mesh.io/reroute-virtual-interfaces", "net7", '"-k","net7"'],
  ["k8s.v1.cni.cncf.io/networks", "own", "own, default/mesh-cni", MULTUS],
  ["kubectl.kubernetes.io/default-container", "side", ""],
  ["kubectl.kubernetes.io/default-logs-container", "side", ""],
  ["prometheus.mesh.io/merge-metrics", "false", ""],
  ["prometheus.io/scrape", "false", ""],
  ["prometheus.io/port", "9007", "9007"],
  ["prometheus.io/path", "/own-metrics", "own-metrics"],
  ["proxy.mesh.io/config", "concurrency: 7", '\\"concurrency\\":7'],
  ["readiness.status.sidecar.mesh.io/failureThreshold", "77", '"failureThreshold":77'],
  ["readiness.status.sidecar.mesh.io/initialDelaySeconds", "78", '"initialDelaySeconds":78'],
  ["readiness.status.sidecar.mesh.io/periodSeconds", "79", '"periodSeconds":79'],
  ["sidecar.mesh.io/agentLogLevel", "ads:debug", "--log_output_level=ads:debug"],
  ["sidecar.mesh.io/bootstrapOverride", "own-map", '"name":"own-map"'],
  ["sidecar.mesh.io/capNetBindService", "true", "NET_BIND_SERVICE"],
  ["sidecar.mesh.io/componentLogLevel", "http:trace", "--proxyComponentLogLevel=http:trace"],
  ["sidecar.mesh.io/interceptionMode", "TPROXY", '"value":"TPROXY"'],
  ["sidecar.mesh.io/logLevel", "trace", "--proxyLogLevel=trace"],
  ["sidecar.mesh.io/nativeSidecar", "true", '"restartPolicy":"Always"'],
  ["sidecar.mesh.io/proxyCPU", "111m", '"requests":{"cpu":"111m"}'],
  ["sidecar.mesh.io/proxyCPULimit", "112m", '"limits":{"cpu":"112m"}'],
  ["sidecar.mesh.io/proxyImage", "own.example/proxy:7", '"image":"own.example/proxy:7"'],
  ["sidecar.mesh.io/proxyImageType", "debug", "-debug"],
  ["sidecar.mesh.io/proxyMemory", "113Mi", '"requests":{"memory":"113Mi"}'],
  ["sidecar.mesh.io/proxyMemoryLimit", "114Mi", '"limits":{"memory":"114Mi"}'],
  ["sidecar.mesh.io/rewriteAppHTTPProbers", "false", '"path":"/ok"', { pod: { spec: PROBED } }],
  ["sidecar.mesh.io/userVolume", '{"own": {"emptyDir": {}}}', '"name":"own"'],
  ["sidecar.mesh.io/userVolumeMount", '{"own": {"mountPath": "/own"}}', '"mountPath":"/own"'],
  ["status.sidecar.mesh.io/port", "15999", '"port":15999', { pod: { spec: PROBED } }],
  ["traffic.sidecar.mesh.io/excludeInboundPorts", "7001", "15090,15021,7001"],
  ["traffic.sidecar.mesh.io/excludeInterfaces", "net8", '"-c","net8"'],
  ["traffic.sidecar.mesh.io/excludeOutboundIPRanges", "10.7.0.0/16", '"-x","10.7.0.0/16"'],
  ["traffic.sidecar.mesh.io/excludeOutboundPorts", "7002", '"-o","7002"'],
  ["traffic.sidecar.mesh.io/includeInboundPorts", "7003", '"-b","7003"'],
  ["traffic.sidecar.mesh.io/includeOutboundIPRanges", "10.8.0.0/16", '"-i","10.8.0.0/16"'],
  ["traffic.sidecar.mesh.io/includeOutboundPorts", "7004", '"-q","7004"'],
  ["traffic.sidecar.mesh.io/includeOutboundPorts", "7004", '"7004"', PLUGIN],
  ["traffic.sidecar.mesh.io/kubevirtInterfaces", "net9", '"-k","net9"'],
  ["apm.datadoghq.com/env", '{"DD_ENV": "own"}', '"DD_ENV"', {
    values: { global: { proxy: { tracer: "datadog" } } },
  }],
];

/** The pod as text, without the annotation, which stays in it anyway. */
function textOf(pod: Pod, annotation: string, given: string | undefined): string {
  const { [annotation]: result, ...annotations } = pod.metadata?.annotations ?? {};
  const kept = result === given ? {} : { [annotation]: result };
  const metadata = { ...pod.metadata, annotations: { ...annotations, ...kept } };
  return JSON.stringify({ ...pod, metadata });
}

for (const [annotation, value, found, { pod = {}, values } = {}] of CASES) {
  Deno.test(`annotation ${annotation} changes the injected pod: ${value}`, () => {
    const config = values === undefined
      ? {}
      : { config: parseInjectionConfig({ config: "", values: JSON.stringify(values) }) };
    const plain = textOf(injectedPod(pod, config), annotation, undefined);
    const annotated = { ...pod, annotations: { [annotation]: value } };
    const changed = textOf(injectedPod(annotated, config), annotation, value);
    assert.notEqual(changed, plain);
    if (found === "") return;
    assert.ok(changed.includes(found), changed);
    assert.ok(!plain.includes(found), plain);
  });
}

Deno.test("the annotation sidecar.mesh.io/status says what was added", () => {
  const status = injectedPod().metadata?.annotations?.["sidecar.mesh.io/status"] ?? "{}";
  const { initContainers, containers } = JSON.parse(status) as Record<string, unknown>;
  assert.deepEqual([initContainers, containers], [["mesh-init"], ["mesh-proxy"]]);
});
