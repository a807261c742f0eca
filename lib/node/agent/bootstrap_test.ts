import assert from "node:assert/strict";
import type { JsonObject } from "../../kit/proto/mod.ts";
import { type TestSettings, testSettings } from "../../../tests/support/agent_settings.ts";
import { defaultProxyConfig } from "../../mesh/schema/mod.ts";
import { type AgentPlan, planAgent } from "./plan.ts";

const plan = (settings: TestSettings = {}): AgentPlan => planAgent(testSettings(settings));

/** The parts of the file that these tests look at. */
interface Shape {
  readonly admin: { readonly address: { readonly socket_address: { readonly address: string } } };
  readonly cluster_manager?: JsonObject;
  readonly layered_runtime: {
    readonly layers: readonly [{ readonly static_layer: Record<string, unknown> }];
  };
  readonly overload_manager: {
    readonly resource_monitors: readonly [{ readonly typed_config: JsonObject }];
  };
  readonly static_resources: {
    readonly clusters: readonly {
      readonly name: string;
      readonly dns_lookup_family?: string;
      readonly load_assignment: unknown;
    }[];
    readonly listeners: readonly {
      readonly name: string;
      readonly address: unknown;
      readonly additional_addresses?: unknown;
    }[];
  };
  readonly stats_config: { readonly stats_tags: { tag_name: string; regex: string }[] };
  readonly stats_sinks?: readonly unknown[];
}

const file = (settings: TestSettings = {}): Shape => JSON.parse(plan(settings).bootstrap);

const V4 = { ips: ["10.0.0.1"], ipv6Only: false, both: false, loopbackOnly: false };
const V6 = { ips: ["2001:db8::1"], ipv6Only: true, both: false, loopbackOnly: false };
const FIRST_V4 = { ...V4, ips: ["10.0.0.1", "2001:db8::1"], both: true };
const FIRST_V6 = { ...V4, ips: ["2001:db8::1", "10.0.0.1"], both: true };
const DUAL = { MESH_DUAL_STACK: "true" };

Deno.test("names of collectors are resolved in the families of the workload", () => {
  const proxy = {
    tracing: { tracer: { case: "zipkin", value: { address: "zipkin.test:9411" } } },
    dataproxyMetricsService: { address: "metrics.test:80" },
    dataproxyAccessLogService: { address: "logs.test:80" },
  } as const;
  const cases: readonly (readonly [TestSettings, string])[] = [
    [{ addresses: V4 }, "V4_ONLY"],
    [{ addresses: V6 }, "V6_ONLY"],
    [{ addresses: FIRST_V4 }, "V4_ONLY"],
    [{ addresses: FIRST_V4, environ: DUAL }, "ALL"],
    [{ addresses: FIRST_V6, environ: DUAL }, "ALL"],
  ];
  for (const [settings, family] of cases) {
    const found = file({ ...settings, proxy }).static_resources.clusters
      .map((one) => one.dns_lookup_family).filter((one) => one !== undefined);
    assert.deepEqual(found, [family, family, family], JSON.stringify(settings));
  }
  const literal = (address: string, addresses: TestSettings["addresses"]) =>
    file({ proxy: { zipkinAddress: address }, addresses }).static_resources.clusters
      .at(-1)?.dns_lookup_family;
  assert.equal(literal("10.1.1.1:9411", V6), "V4_ONLY");
  assert.equal(literal("[2001:db8::9]:9411", V4), "V6_ONLY");
});

/** Addresses of the listeners of metrics and health, the first and the others. */
function listened(settings: TestSettings): string[] {
  return file(settings).static_resources.listeners.map(({ name, ...one }) => {
    const addresses = JSON.stringify([one.address, one.additional_addresses ?? []])
      .matchAll(/"address":"([^"]+)"/g);
    return `${name}: ${[...addresses].map((found) => found[1]).join(" ")}`;
  });
}

Deno.test("listeners: the first address decides the family, and metrics may be local", () => {
  const local = { METRICS_LOCALHOST_ACCESS_ONLY: "true" };
  const cases: readonly (readonly [TestSettings, string, string, admin: string])[] = [
    [{ addresses: V4 }, "0.0.0.0_15090: 0.0.0.0", "0.0.0.0_15021: 0.0.0.0", "127.0.0.1"],
    [{ addresses: V6 }, "::_15090: ::", "::_15021: ::", "::1"],
    [
      { addresses: V4, environ: local },
      "127.0.0.1_15090: 127.0.0.1",
      "0.0.0.0_15021: 0.0.0.0",
      "127.0.0.1",
    ],
    [
      { addresses: FIRST_V4, environ: DUAL },
      "0.0.0.0_15090: 0.0.0.0 ::",
      "0.0.0.0_15021: 0.0.0.0 ::",
      "127.0.0.1",
    ],
    [
      { addresses: FIRST_V6, environ: DUAL },
      "::_15090: :: 0.0.0.0",
      "::_15021: :: 0.0.0.0",
      "::1",
    ],
    [
      { addresses: FIRST_V6, environ: { ...DUAL, ...local } },
      "::1_15090: ::1 127.0.0.1",
      "::_15021: :: 0.0.0.0",
      "::1",
    ],
    [{ addresses: FIRST_V6 }, "0.0.0.0_15090: 0.0.0.0", "0.0.0.0_15021: 0.0.0.0", "127.0.0.1"],
    [
      { addresses: { ...V4, ips: ["127.0.0.5"], loopbackOnly: true } },
      "127.0.0.1_15090: 127.0.0.1",
      "127.0.0.1_15021: 127.0.0.1",
      "127.0.0.1",
    ],
  ];
  for (const [settings, ...expected] of cases) {
    const [metrics, health, admin] = expected;
    assert.deepEqual(listened(settings), [metrics, health], JSON.stringify(settings));
    assert.equal(file(settings).admin.address.socket_address.address, admin);
  }
  assert.equal(plan({ addresses: FIRST_V6, environ: DUAL }).admin, "[::1]:15000");
});

Deno.test("$(HOST_IP) in the address of a collector is the variable's value", () => {
  const proxy = {
    tracing: { tracer: { case: "datadog", value: { address: "$(HOST_IP):8126" } } },
    dataproxyMetricsService: { address: "$(HOST_IP):80" },
    statsdUdpAddress: "$(HOST_IP):9125",
  } as const;
  for (const HOST_IP of ["10.9.9.9", "2001:db8::9"]) {
    const made = file({ proxy, environ: { HOST_IP } });
    const targets = made.static_resources.clusters.map((one) => JSON.stringify(one.load_assignment))
      .filter((text) => text.includes(`"address":"${HOST_IP}"`));
    assert.equal(targets.length, 2, HOST_IP);
    assert.ok(JSON.stringify(made.stats_sinks).includes(`"${HOST_IP}"`));
  }
  const without = plan({ proxy });
  assert.deepEqual([...without.ineffective.keys()].sort(), [
    "dataproxyMetricsService",
    "statsdUdpAddress",
    "tracing.datadog.address",
  ]);
  assert.doesNotMatch(without.bootstrap, /"datadog_agent"|"dataproxy_metrics_service"|stat_sinks/);
});

Deno.test("load reporting comes from the variable or from proxyMetadata", () => {
  const name = "MESH_META_LOAD_STATS_CONFIG_JSON";
  const config = { api_type: "GRPC", transport_api_version: "V3" };
  const { cluster_manager } = file({ environ: { [name]: JSON.stringify(config) } });
  assert.deepEqual(cluster_manager?.load_stats_config, config);
  assert.equal(file().cluster_manager?.load_stats_config, undefined);
  const wrong = plan({ environ: { [name]: "{" } });
  assert.deepEqual([...wrong.unread.keys()], [name]);
  assert.doesNotMatch(wrong.bootstrap, /load_stats_config/);
});

Deno.test("ENABLE_DEFERRED_CLUSTER_CREATION decides the field of its name", () => {
  const deferred = (value?: string): unknown =>
    file({ environ: value === undefined ? {} : { ENABLE_DEFERRED_CLUSTER_CREATION: value } })
      .cluster_manager?.enable_deferred_cluster_creation;
  assert.deepEqual([deferred(), deferred("true"), deferred("false")], [true, true, undefined]);
});

Deno.test("tags: both expressions change with ENABLE_DELIMITED_STATS_TAG_REGEX", () => {
  const tags = (value: string): Record<string, string> =>
    Object.fromEntries(
      file({ environ: { ENABLE_DELIMITED_STATS_TAG_REGEX: value } }).stats_config.stats_tags
        .map(({ tag_name, regex }) => [tag_name, regex]),
    );
  const [delimited, dotted] = [tags("true"), tags("false")];
  const changed = Object.keys(delimited).filter((name) => delimited[name] !== dotted[name]);
  assert.deepEqual(changed, ["cluster_name", "http_conn_manager_prefix"]);
  // The expressions are RE2's; these names match them in the same way here.
  const cut = (regex: string | undefined, name: string) =>
    new RegExp((regex ?? "").replaceAll("[:digit:]", "0-9")).exec(name)?.[2];
  assert.equal(cut(dotted.http_conn_manager_prefix, "http.0.0.0.0_80.downstream_rq"), "0.0.0.0_80");
  assert.equal(
    cut(dotted.cluster_name, "cluster.outbound|80||a.b.svc.cluster.local.upstream_rq"),
    "outbound|80||a.b.svc.cluster.local",
  );
});

const LIMIT = "overload.global_downstream_max_connections";

Deno.test("runtime values: own ones win, empty ones remove, and the limit of connections acts", () => {
  const layer = (proxy: TestSettings["proxy"], environ = {}) =>
    file({ proxy, environ }).layered_runtime.layers[0].static_layer;
  const re2 = "re2.max_program_size.error_level";
  assert.equal(layer({})[re2], "32768");
  assert.equal(layer({ runtimeValues: { [re2]: "100" } })[re2], "100");
  const removed = layer({ runtimeValues: { [re2]: "", other: "" } });
  assert.ok(!(re2 in removed) && !("other" in removed), JSON.stringify(removed));
  const limit = (proxy: TestSettings["proxy"]): unknown => {
    const { overload_manager } = file({ proxy });
    return overload_manager.resource_monitors[0].typed_config.max_active_downstream_connections;
  };
  const unbounded = limit({});
  assert.equal(limit({ runtimeValues: { [LIMIT]: "100" } }), "100");
  assert.equal(limit({ runtimeValues: { [LIMIT]: "" } }), unbounded);
  assert.ok(!(LIMIT in layer({ runtimeValues: { [LIMIT]: "100" } })));
  const wrong = plan({ proxy: { runtimeValues: { [LIMIT]: "many" } } });
  assert.deepEqual([...wrong.unread.keys()], [`runtimeValues[${LIMIT}]`]);
});

Deno.test("under FIPS 140-2, clients of the other gRPC library use no TLS 1.3", () => {
  const key = "envoy.reloadable_features.google_grpc_disable_tls_13";
  const value = (environ: Record<string, string>) =>
    file({ environ }).layered_runtime.layers[0].static_layer[key];
  assert.equal(value({ COMPLIANCE_POLICY: "fips-140-2" }), true);
  assert.equal(value({}), undefined);
});

Deno.test("annotations that cannot be read are left out and named", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["statsHistogramBuckets", "{"],
    ["statsHistogramBuckets", "[1]"],
    ["statsHistogramBuckets", '{"a":["x"]}'],
    ["statsHistogramBuckets", '{"a":[1,1]}'],
    ["statsFlushInterval", "soon"],
    ["statsEvictionInterval", "-1s"],
  ];
  for (const [name, text] of cases) {
    const made = plan({ annotations: { [`sidecar.mesh.io/${name}`]: text } });
    assert.deepEqual([...made.unread.keys()], [`annotation sidecar.mesh.io/${name}`], text);
    const { stats_config, ...rest } = JSON.parse(made.bootstrap);
    assert.equal(stats_config.histogram_bucket_settings, undefined);
    assert.ok(!("stats_flush_interval" in rest) && !("stats_eviction_interval" in rest));
  }
});

Deno.test("expressions and names that the proxy cannot read are left out and named", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["statsInclusionRegexps", "good.*,bad(", "bad("],
    ["statsInclusionRegexps", "good.*,(?=x)", "(?=x)"],
    ["extraStatTags", "good,bad[", "bad["],
    ["statsCompression", "deflate", "deflate"],
  ];
  for (const [name, text, bad] of cases) {
    const made = plan({ annotations: { [`sidecar.mesh.io/${name}`]: text } });
    assert.deepEqual([...made.unread.keys()], [`annotation sidecar.mesh.io/${name}`], text);
    const { node: _, ...rest } = JSON.parse(made.bootstrap);
    assert.ok(!JSON.stringify(rest).includes(bad), text);
    assert.equal(JSON.stringify(rest).includes('"good'), text.startsWith("good"), text);
  }
});

Deno.test("a compression that there is not leaves that of the proxy configuration", () => {
  const annotations = { "sidecar.mesh.io/statsCompression": "deflate" };
  const proxy = { ...defaultProxyConfig(), statsCompression: true };
  const { bootstrap } = plan({ annotations, proxy });
  assert.match(bootstrap, /compression\.gzip/);
});
