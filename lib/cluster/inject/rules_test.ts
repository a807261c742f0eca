/** Rules of injection about what users name: networks, ports, metrics, images, platforms. */
import assert from "node:assert/strict";
import { create } from "../../kit/proto/mod.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { type InjectionInput, parseInjectionConfig, workloadOf } from "./mod.ts";
import { injectedPod, type PodChange, variableOf } from "./testing.ts";

const withValues = (values: object, config = ""): Pick<InjectionInput, "config"> => ({
  config: parseInjectionConfig({ config, values: JSON.stringify(values) }),
});
const NETWORK = "topology.mesh.io/network";

/** Network of label, path and value → that of the proxy. */
const NETWORKS: readonly (readonly [string?, string?, string?, string?])[] = [
  [],
  [undefined, undefined, "value", "value"],
  [undefined, "path", "value", "path"],
  ["own", "path", "value", "own"],
  ["own", undefined, undefined, "own"],
  ["", "path", undefined, "path"],
];
for (const [own, path, value, expected] of NETWORKS) {
  Deno.test(`network: label ${own}, path ${path}, value ${value}`, () => {
    const pod = injectedPod(
      own === undefined ? {} : { labels: { [NETWORK]: own } },
      {
        variables: path === undefined ? [] : [["MESH_META_NETWORK", path]],
        ...withValues({ global: { network: value } }),
      },
    );
    assert.equal(pod.metadata?.labels?.[NETWORK], expected);
    assert.equal(variableOf(pod, "MESH_META_NETWORK"), expected);
  });
}

Deno.test("cluster: the path precedes the values, and they the default", () => {
  const values = withValues({ global: { multiCluster: { clusterName: "value" } } });
  const cluster = (input: Partial<InjectionInput>) =>
    variableOf(injectedPod({}, input), "MESH_META_CLUSTER_ID");
  assert.equal(cluster({}), "Orchestrator");
  assert.equal(cluster(values), "value");
  assert.equal(cluster({ ...values, variables: [["MESH_META_CLUSTER_ID", "path"]] }), "path");
});

/** Annotations → the annotations of the collector, and the application's. */
const SCRAPES: readonly (readonly [Record<string, string>, string, string?])[] = [
  [{}, "true 15020 /stats/prometheus"],
  [
    { "prometheus.io/port": "9" },
    "true 15020 /stats/prometheus",
    '{"scrape":"","path":"","port":"9"}',
  ],
  [
    { "prometheus.io.port": "9", prometheus_io_scrape: "true", "prometheus-io/path": "/m" },
    "true 15020 /stats/prometheus",
    '{"scrape":"true","path":"/m","port":"9"}',
  ],
  [{ "prometheus.io.scrape": "F", "prometheus.io/port": "9" }, "undefined 9 undefined"],
  [{ prometheus_io_scrape: "0" }, "undefined undefined undefined"],
  [{ "prometheus.io/port": "15020" }, "undefined 15020 undefined"],
  [{ "prometheus.mesh.io/merge-metrics": "False" }, "undefined undefined undefined"],
  [{ "prometheus.mesh.io/merge-metrics": "1" }, "true 15020 /stats/prometheus"],
  [{ "status.sidecar.mesh.io/port": "15999" }, "true 15020 /stats/prometheus"],
  [{ "proxy.mesh.io/config": "statusPort: 15999" }, "true 15020 /stats/prometheus"],
];
for (const [annotations, expected, application] of SCRAPES) {
  Deno.test(`metrics: ${JSON.stringify(annotations)}`, () => {
    const pod = injectedPod({ annotations });
    const found = pod.metadata!.annotations!;
    const shown = ["scrape", "port", "path"].map((one) => found[`prometheus.io/${one}`]);
    assert.equal(shown.join(" "), expected.replaceAll("undefined", ""));
    assert.equal(variableOf(pod, "MESH_METRICS_ANNOTATIONS"), application);
    if (application === undefined) return;
    assert.deepEqual(
      Object.keys(found).filter((name) => /^prometheus[^m]*$/.test(name)).sort(),
      ["prometheus.io/path", "prometheus.io/port", "prometheus.io/scrape"],
    );
  });
}

const PROBED = {
  spec: {
    containers: [{
      name: "web",
      livenessProbe: {
        httpGet: {
          port: 8443,
          scheme: "HTTPS",
          host: "h",
          httpHeaders: [{ name: "a", value: "b" }],
        },
      },
    }],
  },
};
const livenessOf = (change: PodChange, input: Partial<InjectionInput> = {}) => {
  const pod = injectedPod({ ...PROBED, ...change }, input);
  const { livenessProbe } = pod.spec!.containers[0] as unknown as typeof PROBED.spec.containers[0];
  return { ...livenessProbe!.httpGet, table: variableOf(pod, "MESH_ORCH_APP_PROBERS") };
};

Deno.test("a moved probe keeps host and headers, and is asked without TLS", () => {
  const { table, ...moved } = livenessOf({});
  const httpHeaders = [{ name: "a", value: "b" }];
  assert.deepEqual(moved, {
    path: "/app-health/web/livez",
    port: 15020,
    scheme: "HTTP",
    host: "h",
    httpHeaders,
  });
  assert.deepEqual(JSON.parse(table!), {
    "/app-health/web/livez": { httpGet: { port: 8443, scheme: "HTTPS", host: "h", httpHeaders } },
  });
});

/** Annotations → the port of the probe. */
const PORTS: readonly (readonly [Record<string, string>, number])[] = [
  [{}, 15020],
  [{ "status.sidecar.mesh.io/port": "15999" }, 15999],
  [{ "status.sidecar.mesh.io/port": "" }, 15020],
  // The agent listens there.
  [{ "proxy.mesh.io/config": "statusPort: 15998" }, 15998],
  [{ "status.sidecar.mesh.io/port": "0" }, 8443],
  [{ "sidecar.mesh.io/rewriteAppHTTPProbers": "F" }, 8443],
  [{ "sidecar.mesh.io/rewriteAppHTTPProbers": "True" }, 15020],
  [{ "sidecar.mesh.io/rewriteAppHTTPProbers": "maybe" }, 15020],
];
for (const [annotations, port] of PORTS) {
  Deno.test(`probes: the port of ${JSON.stringify(annotations)}`, () => {
    const found = livenessOf({ annotations });
    assert.equal(found.port, port);
    assert.equal(found.table !== undefined, port !== 8443);
  });
}

Deno.test("rewriteAppHTTPProbers: T precedes the values", () => {
  const values = withValues({ sidecarInjectorWebhook: { rewriteAppHTTPProbe: false } });
  assert.equal(livenessOf({}, values).port, 8443);
  const annotations = { "sidecar.mesh.io/rewriteAppHTTPProbers": "T" };
  assert.equal(livenessOf({ annotations }, values).port, 15020);
});

/** Tag and variant of the values, ProxyConfig's image type, annotation → tag of the image. */
const IMAGES: readonly (readonly [string, string, string, string | undefined, string])[] = [
  ["1.0", "", "", undefined, "1.0"],
  ["1.0-distroless", "debug", "", undefined, "1.0-debug"],
  ["1.0-distroless", "default", "", undefined, "1.0"],
  ["1.0-debug", "debug", "", undefined, "1.0-debug"],
  ["1.0", "debug", "distroless", undefined, "1.0-distroless"],
  ["1.0", "debug", "distroless", "fips", "1.0-fips"],
  ["1.0-debug", "distroless", "distroless", "", "1.0-debug"],
];
for (const [tag, variant, imageType, annotation, expected] of IMAGES) {
  Deno.test(`image: tag ${tag}, ${variant} < ${imageType} < ${annotation}`, () => {
    const pod = injectedPod(
      annotation === undefined
        ? {}
        : { annotations: { "sidecar.mesh.io/proxyImageType": annotation } },
      {
        ...withValues({ global: { tag, variant } }),
        settings: create(ProxyConfigSchema, imageType === "" ? {} : { image: { imageType } }),
      },
    );
    assert.equal(pod.spec?.containers[1]?.image, `mesh/proxyv2:${expected}`);
  });
}

/** Annotations of the namespace → user and group of the proxy. */
const RANGES: readonly (readonly [Record<string, string>, number, number])[] = [
  [{}, 1337, 1337],
  [{ "sa.scc.uid-range": "1000/10" }, 1009, 1009],
  [{ "sa.scc.uid-range": "1000-1010", "sa.scc.supplemental-groups": "5-7,9/2" }, 1010, 7],
  [{ "sa.scc.supplemental-groups": "20/2" }, 1337, 21],
  [{ "sa.scc.uid-range": "much" }, 1337, 1337],
];
for (const [ranges, user, group] of RANGES) {
  Deno.test(`openshift: ${JSON.stringify(ranges)}`, () => {
    const namespaceAnnotations = Object.fromEntries(
      Object.entries(ranges).map(([name, value]) => [`openshift.io/${name}`, value]),
    );
    const ids = (platform: string, more: Partial<InjectionInput> = {}) => {
      const pod = injectedPod({}, { platform, namespaceAnnotations, ...more });
      const context = pod.spec!.containers[1]!.securityContext as Record<string, unknown>;
      return [context.runAsUser, context.runAsGroup];
    };
    assert.deepEqual(ids("openshift"), [user, group]);
    assert.deepEqual(ids("", withValues({ global: { platform: "openshift" } })), [user, group]);
    assert.deepEqual(ids(""), [1337, 1337], "on other platforms the annotations mean nothing");
  });
}

Deno.test("openshift: the user that the platform gave all containers is not the proxy's", () => {
  const platformId = { securityContext: { runAsUser: 5, runAsGroup: 5, privileged: false } };
  const spec = {
    containers: [
      { name: "web", ...platformId },
      { name: "more" },
      { name: "mesh-proxy", image: "auto", ...platformId },
    ],
  };
  const proxy = (platform: string) => {
    const namespaceAnnotations = { "openshift.io/sa.scc.uid-range": "100/10" };
    const { metadata, spec: injected } = injectedPod({ spec }, { platform, namespaceAnnotations });
    const context = injected!.containers.find(({ name }) => name === "mesh-proxy")!.securityContext;
    const recorded = metadata!.annotations!["proxy.mesh.io/overrides"];
    return [(context as Record<string, unknown>).runAsUser, /"runAsUser"/.test(recorded!)];
  };
  assert.deepEqual(proxy("openshift"), [109, false]);
  assert.deepEqual(proxy(""), [5, true]);
});

Deno.test("injectedAnnotations are written last", () => {
  const name = "prometheus.io/port";
  const config = JSON.stringify({ injectedAnnotations: { [name]: "1", "mesh.io/rev": "x" } });
  const { metadata } = injectedPod({ annotations: { [name]: "9" } }, withValues({}, config));
  assert.equal(metadata?.annotations?.[name], "1");
  assert.equal(metadata?.annotations?.["mesh.io/rev"], "x");
});

Deno.test("the workload of a pod of a Rollout has the name without the hash", () => {
  const meta = (labels: Record<string, string>) => ({
    labels,
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-5f6d", controller: true },
    ],
  });
  const rollout = workloadOf(meta({ "rollouts-pod-template-hash": "5f6d" }), "shop");
  assert.deepEqual([rollout.kind, rollout.name], ["Rollout", "web"]);
  const other = workloadOf(meta({ "rollouts-pod-template-hash": "aaaa" }), "shop");
  assert.deepEqual([other.kind, other.name], ["ReplicaSet", "web-5f6d"]);
});

/** The annotation of Multus before and after. */
const MULTUS: readonly (readonly [string, string])[] = [
  ["", "default/mesh-cni"],
  ["a", "a, default/mesh-cni"],
  ["a, default/mesh-cni", "a, default/mesh-cni"],
  ["other-default/mesh-cni", "other-default/mesh-cni, default/mesh-cni"],
  ['[ {"name":"a"} ]', '[ {"name":"a"} , {"name": "mesh-cni", "namespace": "default"}]'],
  ["[]", '[{"name": "mesh-cni", "namespace": "default"}]'],
  ['[{"name":"default/mesh-cni"}]', '[{"name":"default/mesh-cni"}]'],
  ["a]", "a]"],
];
for (const [before, after] of MULTUS) {
  Deno.test(`multus: ${before}`, () => {
    const name = "k8s.v1.cni.cncf.io/networks";
    const { metadata } = injectedPod(
      before === "" ? {} : { annotations: { [name]: before } },
      withValues({ pilot: { cni: { enabled: true, provider: "multus" } } }),
    );
    assert.equal(metadata?.annotations?.[name], after);
  });
}

Deno.test("sidecars and gateways are asked each second until they have started", () => {
  const containers = (templates: string, input: Partial<InjectionInput> = {}) => {
    const pod = injectedPod({ annotations: { "inject.mesh.io/templates": templates } }, input);
    return pod.spec?.containers?.find(({ name }) => name === "mesh-proxy");
  };
  const off = withValues({ global: { proxy: { startupProbe: { enabled: false } } } });
  for (const templates of ["sidecar", "gateway"]) {
    const probe = containers(templates)?.startupProbe as Record<string, unknown> | undefined;
    assert.equal(probe?.periodSeconds, 1, templates);
    assert.equal(JSON.stringify(probe?.httpGet), '{"path":"/healthz/ready","port":15021}');
    assert.equal(containers(templates, off)?.startupProbe, undefined);
  }
});
