import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { type ProxyConfig, ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { create } from "../../kit/proto/mod.ts";
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import {
  decide,
  type DecisionRules,
  defaultInjectionConfig,
  type InjectionConfig,
  injectObject,
  injectPod,
  isInjected,
  jsonPatch,
  parseInjectionConfig,
  type Pod,
  waypointObjects,
  webhookFor,
  workloadOf,
} from "./mod.ts";

const POD: Pod = {
  metadata: {
    generateName: "web-5f6d-",
    labels: { app: "web", "pod-template-hash": "5f6d" },
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-5f6d", controller: true },
    ],
  },
  spec: {
    containers: [{
      name: "web",
      image: "web:1",
      ports: [{ containerPort: 8080, name: "http" }],
      readinessProbe: {
        httpGet: { path: "/ok", port: "http" },
        timeoutSeconds: 2,
        periodSeconds: 3,
      },
      lifecycle: { preStop: { httpGet: { port: 8080 } } },
    }],
  },
};

function input(config: InjectionConfig = defaultInjectionConfig()) {
  return {
    config,
    mesh: defaultMeshConfig(),
    revision: "",
    nativeSidecars: false,
    compliancePolicy: "",
    workload: workloadOf(POD.metadata!, "shop"),
  };
}

function withMeta(meta: Partial<NonNullable<Pod["metadata"]>>): Pod {
  return { ...POD, metadata: { ...POD.metadata, ...meta } };
}

const variable = (pod: Pod, name: string) =>
  pod.spec?.containers.find((one) => one.name === "mesh-proxy")?.env
    ?.find((one) => one.name === name)?.value;

Deno.test("a pod gets a proxy, and its probes go through the agent", () => {
  const pod = injectPod(POD, input());
  assert.deepEqual(pod.spec?.containers.map(({ name }) => name), ["web", "mesh-proxy"]);
  assert.deepEqual(pod.spec?.initContainers?.map(({ name }) => name), ["mesh-init"]);
  assert.deepEqual(pod.spec?.containers[0]?.readinessProbe, {
    httpGet: { path: "/app-health/web/readyz", port: 15020 },
    timeoutSeconds: 2,
    periodSeconds: 3,
  });
  assert.deepEqual(JSON.parse(variable(pod, "MESH_ORCH_APP_PROBERS")!), {
    "/app-health/web/readyz": { httpGet: { path: "/ok", port: 8080 }, timeoutSeconds: 2 },
    "/app-lifecycle/web/prestopz": { httpGet: { port: 8080 } },
  });
  assert.equal(variable(pod, "MESH_META_WORKLOAD_NAME"), "web");
  assert.equal(
    variable(pod, "MESH_META_OWNER"),
    "kubernetes://apis/apps/v1/namespaces/shop/deployments/web",
  );
  assert.equal(pod.metadata?.labels?.["service.mesh.io/canonical-name"], "web");
  assert.equal(pod.metadata?.annotations?.["prometheus.io/port"], "15020");
});

Deno.test("a label of the pod names its workload, and its owner stays", () => {
  const labels = { ...POD.metadata?.labels, "service.mesh.io/workload-name": "mine" };
  const pod = injectPod({ ...POD, metadata: { ...POD.metadata, labels } }, input());
  assert.equal(variable(pod, "MESH_META_WORKLOAD_NAME"), "mine");
  assert.match(variable(pod, "MESH_META_OWNER")!, /\/deployments\/web$/);
});

Deno.test("PROXY_CONFIG: mesh defaults, then ProxyConfig objects, then the annotation", () => {
  const mesh = defaultMeshConfig();
  mesh.defaultConfig!.concurrency = 1;
  mesh.defaultConfig!.proxyMetadata = { A: "mesh", B: "mesh", C: "mesh" };
  const settings = create(ProxyConfigSchema, {
    concurrency: 2,
    image: { imageType: "debug" },
    proxyMetadata: { B: "objects", C: "objects" },
  });
  const injected = (settings?: ProxyConfig, annotation = "") => {
    const annotations = { "proxy.mesh.io/config": annotation };
    const pod = injectPod(withMeta({ annotations }), { ...input(), mesh, settings });
    const { concurrency, image, proxyMetadata } = JSON.parse(variable(pod, "PROXY_CONFIG")!);
    const names = ["A", "B", "C"].map((name) => variable(pod, name));
    assert.deepEqual(Object.values(proxyMetadata), names);
    const tag = pod.spec?.containers[1]?.image?.split("-").at(-1);
    return [concurrency, image?.imageType, tag === image?.imageType, ...names];
  };
  assert.deepEqual(injected(), [1, undefined, false, "mesh", "mesh", "mesh"]);
  assert.deepEqual(injected(settings), [2, "debug", true, "mesh", "objects", "objects"]);
  const own = "{concurrency: 3, image: {imageType: distroless}, proxyMetadata: {C: own}}";
  assert.deepEqual(injected(settings, own), [3, "distroless", true, "mesh", "objects", "own"]);
  const empty = create(ProxyConfigSchema);
  assert.deepEqual(injected(empty), injected());
});

Deno.test("a second injection gives what the first one gave", () => {
  const own = {
    ...POD,
    spec: {
      containers: [
        ...POD.spec!.containers,
        { name: "mesh-proxy", image: "auto", env: [{ name: "OWN", value: "$(POD_NAME)" }] },
      ],
    },
  };
  const first = injectPod(own, input());
  assert.equal(variable(first, "OWN"), "$(POD_NAME)");
  assert.match(first.spec?.containers[1]?.image ?? "", /^mesh\/proxyv2:/);
  const again = injectPod({ ...first, metadata: { ...first.metadata } }, input());
  assert.ok(isInjected(again));
  // The probes of the first injection ask the agent and stay.
  const names = (pod: Pod) => pod.spec?.containers.map(({ name, image }) => `${name} ${image}`);
  assert.deepEqual(names(again), names(first));
  assert.deepEqual(again.spec?.volumes, first.spec?.volumes);
});

Deno.test("the pull policy that the server gives an image without a tag does not count", () => {
  const policyOf = (imagePullPolicy: string) => {
    const gateway = { name: "mesh-proxy", image: "auto", imagePullPolicy };
    const pod = injectPod({ ...POD, spec: { containers: [gateway] } }, input());
    return pod.spec?.containers.find(({ name }) => name === "mesh-proxy")?.imagePullPolicy;
  };
  assert.equal(policyOf("Always"), undefined);
  assert.equal(policyOf("Never"), "Never");
});

Deno.test("metrics of the application are merged, unless it forbids it", () => {
  const annotations = { "prometheus.io/port": "9000", "prometheus.io/scrape": "true" };
  const pod = injectPod(withMeta({ annotations }), input());
  assert.deepEqual(
    JSON.parse(variable(pod, "MESH_METRICS_ANNOTATIONS")!),
    { scrape: "true", path: "", port: "9000" },
  );
  assert.equal(pod.metadata?.annotations?.["prometheus.io/path"], "/stats/prometheus");
  const off = { ...annotations, "prometheus.mesh.io/merge-metrics": "false" };
  const other = injectPod(withMeta({ annotations: off }), input());
  assert.equal(other.metadata?.annotations?.["prometheus.io/port"], "9000");
  assert.equal(variable(other, "MESH_METRICS_ANNOTATIONS"), undefined);
});

Deno.test("native sidecars run before the user's init containers", () => {
  const spec = { ...POD.spec!, initContainers: [{ name: "migrate", image: "m:1" }] };
  const native = injectPod({ ...POD, spec }, { ...input(), nativeSidecars: true });
  assert.deepEqual(
    native.spec?.initContainers?.map(({ name }) => name),
    ["mesh-init", "mesh-proxy", "migrate"],
  );
  assert.equal(native.spec?.initContainers?.[1]?.restartPolicy, "Always");
  const plain = injectPod({ ...POD, spec }, input());
  assert.deepEqual(plain.spec?.initContainers?.map(({ name }) => name), ["migrate", "mesh-init"]);
});

Deno.test("errors name the annotation, or the line of the template", () => {
  const wrong = { "traffic.sidecar.mesh.io/excludeOutboundPorts": "80,http" };
  assert.throws(() => injectPod(withMeta({ annotations: wrong }), input()), (error: MeshError) => {
    assert.match(error.message, /excludeOutboundPorts"\]: "http" is not a port/);
    return true;
  });
  const names = { "inject.mesh.io/templates": "sidecar,other" };
  assert.throws(
    () => injectPod(withMeta({ annotations: names }), input()),
    /there is no template other/,
  );
  const config = { "proxy.mesh.io/config": "concurrency: -1" };
  assert.throws(
    () => injectPod(withMeta({ annotations: config }), input()),
    /proxy\.mesh\.io\/config"\]: concurrency/,
  );
  const template = (text: string) =>
    parseInjectionConfig({
      config: JSON.stringify({ templates: { sidecar: text } }),
      values: "",
    });
  assert.throws(() => template("a\n{{ nothingLikeIt 1 }}"), /line 2, column 4: the function/);
  assert.throws(() => template("{{ if .A }}"), /\{\{if\}\} has no \{\{end\}\}/);
  assert.throws(
    () => injectPod(POD, input(template("metadata: {labels: {a: 1}, annotations: {}}"))),
    /metadata\.labels\["a"\]; quote its value/,
  );
  assert.throws(
    () => injectPod(POD, input(template('{{ fail "no such luck" }}'))),
    /line 1, column 4: no such luck/,
  );
  assert.throws(
    () =>
      injectPod(
        POD,
        input(template('{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}')),
      ),
    /calls itself too deeply/,
  );
  assert.throws(
    () => parseInjectionConfig({ config: "policy: maybe", values: "" }),
    /config\.policy/,
  );
});

Deno.test("custom templates are merged over the user's containers, which win", () => {
  const config = parseInjectionConfig({
    config: JSON.stringify({
      templates: {
        custom: "spec:\n  containers:\n  {{- range .Spec.Containers }}\n  - name: {{ .Name }}\n" +
          "    image: other\n    env: [{name: A, value: b}]\n  {{- end }}\n",
      },
      aliases: { both: ["sidecar", "custom"] },
    }),
    values: "",
  });
  const pod = injectPod(
    withMeta({ annotations: { "inject.mesh.io/templates": "both" } }),
    input(config),
  );
  assert.equal(pod.spec?.containers[0]?.image, "web:1");
  assert.equal(JSON.stringify(pod.spec?.containers[0]?.env), '[{"name":"A","value":"b"}]');
  assert.deepEqual(pod.spec?.containers.map(({ name }) => name), ["web", "mesh-proxy"]);
});

Deno.test("decisions have a rule and a reason", () => {
  const rules = {
    policy: "enabled" as const,
    neverInjectSelector: [{ matchLabels: { job: "yes" } }],
    alwaysInjectSelector: [{ matchExpressions: [{ key: "force", operator: "Exists" }] }],
  };
  const rule = (labels: Record<string, string>, more: Pod = {}, namespace = "shop") => {
    const { inject, rule } = decide({ metadata: { labels }, ...more }, namespace, rules);
    return `${rule} ${inject}`;
  };
  assert.equal(rule({}), "policy true");
  assert.equal(rule({ job: "yes" }), "neverInjectSelector false");
  assert.equal(rule({ job: "yes", "sidecar.mesh.io/inject": "true" }), "pod-label true");
  assert.equal(rule({ force: "" }), "alwaysInjectSelector true");
  assert.equal(rule({ "sidecar.mesh.io/inject": "no" }), "policy true");
  assert.equal(rule({ force: "" }, {}, "kube-system"), "excluded-namespace false");
  for (const namespace of ["kube-public", "kube-node-lease", "local-path-storage"]) {
    const asking = { "sidecar.mesh.io/inject": "true" };
    assert.equal(rule(asking, {}, namespace), "excluded-namespace false", namespace);
  }
  assert.equal(rule({ job: "yes", force: "" }), "neverInjectSelector false", "never precedes");
  assert.equal(rule({ "sidecar.mesh.io/inject": "no", job: "yes" }), "policy true", "invalid");
  const host = { spec: { hostNetwork: true, containers: [] } };
  assert.equal(rule({ "sidecar.mesh.io/inject": "true" }, host), "host-network false");
});

Deno.test("decisions by annotation and policy, and selectors that select nothing", () => {
  const name = "sidecar.mesh.io/inject";
  const decided = (
    pod: Pod["metadata"],
    policy: "enabled" | "disabled",
    selectors: Partial<DecisionRules> = {},
  ) => {
    const rules = { policy, neverInjectSelector: [], alwaysInjectSelector: [], ...selectors };
    const { inject, rule } = decide({ metadata: pod }, "shop", rules);
    return `${rule} ${inject}`;
  };
  assert.equal(decided({ annotations: { [name]: "false" } }, "enabled"), "pod-annotation false");
  assert.equal(decided({ annotations: { [name]: "true" } }, "disabled"), "pod-annotation true");
  const both = { labels: { [name]: "true" }, annotations: { [name]: "false" } };
  assert.equal(decided(both, "disabled"), "pod-label true");
  assert.equal(decided({}, "disabled"), "policy false");
  assert.equal(decided({ labels: { [name]: "maybe" } }, "disabled"), "policy false");
  const always = { alwaysInjectSelector: [{ matchLabels: { app: "a" } }] };
  assert.equal(decided({ labels: { app: "a" } }, "disabled", always), "alwaysInjectSelector true");
  assert.equal(decided({ labels: { app: "b" } }, "disabled", always), "policy false");
  const empty = { neverInjectSelector: [{}], alwaysInjectSelector: [{}] };
  assert.equal(decided({ labels: { app: "a" } }, "enabled", empty), "policy true");
});

Deno.test("the webhook of a pod is found by both selectors", () => {
  const webhooks = [
    { name: "a", namespaceSelector: { matchLabels: { "mesh-injection": "enabled" } } },
    {
      name: "b",
      objectSelector: {
        matchExpressions: [{ key: "mesh.io/rev", operator: "In", values: ["x"] }],
      },
    },
  ];
  const find = (namespace: Record<string, string>, pod: Record<string, string>) =>
    webhookFor(webhooks, { namespace, pod })?.name;
  assert.equal(find({ "mesh-injection": "enabled" }, {}), "a");
  assert.equal(find({}, { "mesh.io/rev": "x" }), "b");
  assert.equal(find({}, {}), undefined);
});

Deno.test("objects that hold pods are injected, others stay", () => {
  const cron = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "nightly", namespace: "shop" },
    spec: { schedule: "@daily", jobTemplate: { spec: { template: { spec: POD.spec } } } },
  };
  const { object, injected } = injectObject(cron, input());
  assert.ok(injected);
  assert.match(JSON.stringify(object), /namespaces\/shop\/cronjobs\/nightly/);
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: {} };
  const rest = { injected: false, refused: [] };
  assert.deepEqual(injectObject(service, input()), { object: service, ...rest });
});

Deno.test("patches have one operation for each change", () => {
  const before = { a: 1, b: { "c/d": 1, e: [1] }, f: 2 };
  const after = { a: 1, b: { "c/d": 2, e: [1, 2] }, g: 3 };
  assert.deepEqual(jsonPatch(before, after), [
    { op: "replace", path: "/b/c~1d", value: 2 },
    { op: "replace", path: "/b/e", value: [1, 2] },
    { op: "remove", path: "/f" },
    { op: "add", path: "/g", value: 3 },
  ]);
});

Deno.test("the objects of a waypoint", () => {
  const objects = waypointObjects({
    name: "way",
    namespace: "shop",
    uid: "1-2",
    deploymentName: "way",
    serviceAccount: "way",
    gatewayNameLabel: "gateway.networking.k8s.io/gateway-name",
    ports: [{ name: "mesh", port: 15008, protocol: "TCP", appProtocol: "all" }],
    serviceType: "ClusterIP",
    infrastructureLabels: {},
    infrastructureAnnotations: { "gateway.mesh.io/name-override": "x", own: "y" },
    revision: "",
    kubeVersion: 136,
    mesh: defaultMeshConfig(),
  }, defaultInjectionConfig());
  assert.deepEqual(objects.map(({ kind }) => kind), ["ServiceAccount", "Deployment", "Service"]);
  const text = JSON.stringify(objects);
  assert.doesNotMatch(text, /name-override/);
  assert.match(text, /"args":\["proxy","waypoint"/);
});
