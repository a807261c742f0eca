/** A pod that was injected is injected again, as webhooks are called again and manifests applied again. */
import assert from "node:assert/strict";
import { defaultMeshConfig, defaultProxyConfig } from "../../mesh/schema/mod.ts";
import { injectPod, type Pod } from "./mod.ts";
import { inputOf, podOf, variableOf } from "./testing.ts";

const APPLICATION = {
  name: "web",
  image: "web:1",
  ports: [{ containerPort: 8080, name: "http" }],
  livenessProbe: { tcpSocket: { port: "http" } },
  readinessProbe: { httpGet: { path: "/ok", port: 8080, host: "x", httpHeaders: [] } },
  lifecycle: { preStop: { httpGet: { port: 8080 } } },
};
const METRICS = { "prometheus.io/port": "9000", "prometheus.io/path": "/own" };
const OWN_PROXY = {
  name: "mesh-proxy",
  image: "auto",
  env: [{ name: "OWN", value: "1" }],
  readinessProbe: { periodSeconds: 3 },
  lifecycle: { preStop: { exec: { command: ["sleep", "1"] } } },
};

/** Pods, by what is particular in them. */
const PODS: Readonly<Record<string, Pod>> = {
  "a pod": podOf({ annotations: METRICS, spec: { containers: [APPLICATION] } }),
  "a proxy of the user's": podOf({
    annotations: METRICS,
    spec: { containers: [APPLICATION, OWN_PROXY] },
  }),
  "a port of its own": podOf({
    annotations: { ...METRICS, "status.sidecar.mesh.io/port": "15999" },
    spec: { containers: [APPLICATION] },
  }),
  "a network": podOf({
    labels: { "topology.mesh.io/network": "own" },
    spec: { containers: [APPLICATION] },
  }),
  "volumes and init containers": podOf({
    spec: {
      containers: [APPLICATION],
      initContainers: [{ name: "migrate", image: "m:1" }],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  }),
  ...Object.fromEntries(
    ["gateway", "grpc-agent", "grpc-simple"].map((templates) => [
      `the templates ${templates}`,
      podOf({
        annotations: { ...METRICS, "inject.mesh.io/templates": templates },
        spec: { containers: [APPLICATION] },
      }),
    ]),
  ),
};

/** The pod as the API server gives it back. */
const plain = (pod: Pod): Pod => JSON.parse(JSON.stringify(pod));

for (const [what, pod] of Object.entries(PODS)) {
  for (const nativeSidecars of [false, true]) {
    Deno.test(`a second injection changes nothing: ${what}, native: ${nativeSidecars}`, () => {
      const input = inputOf({ nativeSidecars, variables: [["MESH_META_NETWORK", "path"]] });
      const first = plain(injectPod(pod, input));
      const second = plain(injectPod(first, input));
      assert.deepEqual(second, first);
      assert.deepEqual(plain(injectPod(second, input)), first);
    });
  }
}

Deno.test("a second injection keeps the table of probes and the application's metrics", () => {
  const first = injectPod(PODS["a pod"]!, inputOf());
  const second = injectPod(first, inputOf());
  assert.deepEqual(Object.keys(JSON.parse(variableOf(second, "MESH_ORCH_APP_PROBERS")!)).sort(), [
    "/app-health/web/livez",
    "/app-health/web/readyz",
    "/app-lifecycle/web/prestopz",
  ]);
  assert.equal(
    variableOf(second, "MESH_METRICS_ANNOTATIONS"),
    '{"scrape":"","path":"/own","port":"9000"}',
  );
});

for (const what of ["a pod", "volumes and init containers"]) {
  Deno.test(`the application's metrics and probes outlive a new status port of the mesh: ${what}`, () => {
    const first = injectPod(PODS[what]!, inputOf());
    const mesh = defaultMeshConfig();
    mesh.defaultConfig = { ...defaultProxyConfig(), statusPort: 15999 };
    const second = injectPod(first, inputOf({ mesh }));
    assert.equal(second.metadata?.annotations?.["prometheus.io/port"], "15999");
    const probe = second.spec!.containers[0]!.readinessProbe as { httpGet: { port: number } };
    assert.equal(probe.httpGet.port, 15999);
    for (const variable of ["MESH_METRICS_ANNOTATIONS", "MESH_ORCH_APP_PROBERS"]) {
      assert.equal(variableOf(second, variable), variableOf(first, variable), variable);
    }
  });
}

Deno.test("metrics that the user names after the first injection are taken", () => {
  const first = injectPod(PODS["a pod"]!, inputOf());
  const annotations = { ...first.metadata!.annotations, ...METRICS, "prometheus.io/port": "9001" };
  const second = injectPod({ ...first, metadata: { ...first.metadata, annotations } }, inputOf());
  assert.match(variableOf(second, "MESH_METRICS_ANNOTATIONS")!, /"port":"9001"/);
});

Deno.test("probes that came after the first injection are added, and earlier entries win", () => {
  const first = injectPod(PODS["a pod"]!, inputOf());
  const [web, ...others] = first.spec!.containers;
  const changed = {
    ...web!,
    startupProbe: { httpGet: { port: 8081 } },
    readinessProbe: { httpGet: { port: 8082 } },
  };
  const added = { name: "more", livenessProbe: { grpc: { port: 9 } } };
  const containers = [changed, added, ...others];
  const second = injectPod({ ...first, spec: { ...first.spec, containers } }, inputOf());
  const table = JSON.parse(variableOf(second, "MESH_ORCH_APP_PROBERS")!);
  assert.deepEqual(table["/app-health/more/livez"], { grpc: { port: 9 } });
  assert.deepEqual(table["/app-health/web/startupz"], { httpGet: { port: 8081 } });
  assert.equal(table["/app-health/web/readyz"].httpGet.port, 8080);
});

Deno.test("additions of others to the proxy stay, and values of the template are renewed", () => {
  const first = injectPod(PODS["a pod"]!, inputOf());
  const containers = first.spec!.containers.map((one) =>
    one.name !== "mesh-proxy" ? one : {
      ...one,
      args: ["old"],
      env: [...one.env!, { name: "OTHER", value: "1" }, { name: "TRUST_DOMAIN", value: "old" }],
    }
  );
  const second = injectPod({ ...first, spec: { ...first.spec, containers } }, inputOf());
  assert.equal(variableOf(second, "OTHER"), "1");
  assert.equal(variableOf(second, "TRUST_DOMAIN"), "cluster.local");
  const argsOf = (pod: Pod) => pod.spec?.containers.find((one) => one.name === "mesh-proxy")?.args;
  assert.deepEqual(argsOf(second), argsOf(first));
});

Deno.test("a variable has one source, that of the user or that of the template", () => {
  const valueFrom = { fieldRef: { fieldPath: "metadata.name" } };
  const env = [{ name: "HOST_IP", value: "own" }, { name: "TRUST_DOMAIN", valueFrom }];
  const containers = [{ name: "web" }, { name: "mesh-proxy", image: "auto", env }];
  const first = injectPod(podOf({ spec: { containers } }), inputOf());
  for (const pod of [first, injectPod(first, inputOf())]) {
    const proxy = pod.spec!.containers.find(({ name }) => name === "mesh-proxy")!;
    const found = proxy.env!.filter(({ name }) => name === "HOST_IP" || name === "TRUST_DOMAIN");
    assert.deepEqual(found.sort((a, b) => a.name < b.name ? -1 : 1), env);
  }
});

Deno.test("a record of the user's values that is no record is ignored", () => {
  const first = injectPod(PODS["a proxy of the user's"]!, inputOf());
  for (const text of ["", "null", "1", "[]", '{"containers":[null,1]}', "{"]) {
    const annotations = { ...first.metadata!.annotations, "proxy.mesh.io/overrides": text };
    const again = injectPod({ ...first, metadata: { ...first.metadata, annotations } }, inputOf());
    assert.equal(variableOf(again, "OWN"), "1", text);
  }
});
