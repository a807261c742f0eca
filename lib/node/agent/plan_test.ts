import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { create, durationOf } from "../../kit/proto/mod.ts";
import { AuthenticationPolicy, ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { readYaml } from "../../kit/text/mod.ts";
import { planAgent } from "./plan.ts";
import { type TestSettings, testSettings } from "../../../tests/support/agent_settings.ts";

const plan = (settings: TestSettings = {}) => planAgent(testSettings(settings));
const bootstrap = (settings: TestSettings = {}): Shape => JSON.parse(plan(settings).bootstrap);

/** The parts of the bootstrap file that these tests check. */
interface Shape {
  readonly admin: {
    readonly address: { readonly socket_address: { readonly port_value: number } };
  };
  readonly dynamic_resources: { readonly ads_config: { readonly api_type: string } };
  readonly static_resources: {
    readonly clusters: readonly Cluster[];
    readonly listeners: readonly { readonly name: string }[];
  };
  readonly stats_config: {
    readonly stats_matcher: {
      readonly inclusion_list: { readonly patterns: readonly Record<string, unknown>[] };
    };
    readonly stats_tags: readonly { readonly tag_name: string }[];
    readonly histogram_bucket_settings: unknown;
  };
}

interface Cluster {
  readonly name: string;
  readonly load_assignment: {
    readonly endpoints: readonly [{
      readonly lb_endpoints: readonly [{
        readonly endpoint: {
          readonly address: {
            readonly socket_address: { readonly port_value: number };
            readonly pipe: { readonly path: string };
          };
        };
      }];
    }];
  };
  readonly typed_extension_protocol_options: Readonly<
    Record<string, { explicit_http_config: { http2_protocol_options: Record<string, number> } }>
  >;
  readonly upstream_connection_options: { tcp_keepalive: { keepalive_time: number } };
  readonly circuit_breakers: { thresholds: readonly [{ max_requests: number }] };
}

function clusterNamed({ static_resources: { clusters } }: Shape, name: string): Cluster {
  const found = clusters.find((cluster) => cluster.name === name);
  assert.ok(found, name);
  return found;
}

Deno.test("files lie below configPath", () => {
  const { bootstrapFile, socket } = plan({ proxy: { configPath: "/run/p" } });
  assert.equal(bootstrapFile, "/run/p/dataproxy-rev.json");
  assert.equal(socket, "/run/p/XDS");
});

Deno.test("several agents fit on one machine: every port and path can be set", () => {
  const made = plan({
    proxy: { configPath: "/run/p", proxyAdminPort: 1, statusPort: 2 },
    environ: { DATAPROXY_STATUS_PORT: "3", DATAPROXY_PROMETHEUS_PORT: "4" },
  });
  assert.deepEqual(made.ports, { admin: 1, status: 2, health: 3, prometheus: 4 });
  const written: Shape = JSON.parse(made.bootstrap);
  assert.equal(written.admin.address.socket_address.port_value, 1);
  const endpoint = (name: string) =>
    clusterNamed(written, name).load_assignment.endpoints[0].lb_endpoints[0].endpoint.address;
  assert.equal(endpoint("prometheus_stats").socket_address.port_value, 1);
  assert.equal(endpoint("agent").socket_address.port_value, 2);
  assert.equal(endpoint("xds-grpc").pipe.path, "/run/p/XDS");
  assert.deepEqual(
    written.static_resources.listeners.map((each) => each.name),
    ["0.0.0.0_4", "0.0.0.0_3"],
  );
  assert.doesNotMatch(made.bootstrap, /150[0-9]{2}\b(?!")/);
});

Deno.test("the proxy asks by delta, unless MESH_DELTA_XDS says otherwise", () => {
  const apiType = (environ: Record<string, string>) =>
    bootstrap({ environ }).dynamic_resources.ads_config.api_type;
  assert.equal(apiType({}), "DELTA_GRPC");
  assert.equal(apiType({ MESH_DELTA_XDS: "false" }), "GRPC");
});

Deno.test("the way to the agent has wide windows and no circuit breaker to speak of", () => {
  const xds = clusterNamed(bootstrap(), "xds-grpc");
  const [options] = Object.values(xds.typed_extension_protocol_options);
  assert.equal(
    options?.explicit_http_config.http2_protocol_options.initial_stream_window_size,
    16 * 1024 * 1024,
  );
  assert.equal(xds.upstream_connection_options.tcp_keepalive.keepalive_time, 300);
  assert.equal(xds.circuit_breakers.thresholds[0].max_requests, 100_000);
});

Deno.test("metrics are forgotten after an interval that the proxy can take", () => {
  const kept = (settings: TestSettings): string | undefined =>
    (bootstrap(settings) as { stats_eviction_interval?: string }).stats_eviction_interval;
  const environ = { METRIC_ROTATION_INTERVAL: "1m1s" };
  assert.equal(kept({}), undefined);
  assert.equal(kept({ environ }), "65s");
  const flush = { "sidecar.mesh.io/statsFlushInterval": "2s" };
  assert.equal(kept({ environ, annotations: flush }), "62s");
  const own = { "sidecar.mesh.io/statsEvictionInterval": "10s" };
  assert.equal(kept({ environ, annotations: own }), "10s");
  assert.equal(kept({ annotations: { ...own, ...flush } }), "10s");
  const odd = { "sidecar.mesh.io/statsEvictionInterval": "7s" };
  assert.equal(kept({ annotations: odd }), "10s", "a multiple of the default");
});

Deno.test("fragments of paths are cut off, or requests with them refused", () => {
  const refuses = (settings: TestSettings): unknown => {
    const { layered_runtime: { layers } }: {
      layered_runtime: { layers: { static_layer?: Record<string, unknown> }[] };
    } = JSON.parse(plan(settings).bootstrap);
    return layers[0]?.static_layer?.["envoy.reloadable_features.http_reject_path_with_fragment"];
  };
  const name = "HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED";
  assert.deepEqual([refuses({}), refuses({ environ: { [name]: "false" } })], [false, true]);
});

Deno.test("statistics: annotations win over the configuration, addresses are filled in", () => {
  const { stats_config: { stats_matcher, stats_tags, histogram_bucket_settings } } = bootstrap({
    addresses: { ips: ["10.0.0.1", "10.0.0.2"], ipv6Only: false, both: false, loopbackOnly: false },
    environ: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true" },
    proxy: {
      extraStatTags: ["dlp"],
      proxyStatsMatcher: { inclusionPrefixes: ["gone"], inclusionSuffixes: ["kept"] },
    },
    annotations: {
      "sidecar.mesh.io/statsInclusionPrefixes": "http.{pod_ip}_, other",
      "sidecar.mesh.io/statsHistogramBuckets": '{"b":[1],"a":[2,3]}',
      "sidecar.mesh.io/extraStatTags": "dlp,more",
    },
  });
  const { patterns } = stats_matcher.inclusion_list;
  const of = (kind: string) => patterns.map((each) => each[kind]).filter((each) => each);
  assert.deepEqual(of("prefix").slice(0, 4), [
    "reporter=",
    "http.10.0.0.1_",
    "http.10.0.0.2_",
    "other",
  ]);
  assert.ok(of("prefix").includes("cluster_manager"));
  assert.ok(!of("prefix").includes("gone"));
  assert.ok(of("suffix").includes("kept") && of("suffix").includes("downstream_cx_active"));
  const tags = stats_tags.map((tag) => tag.tag_name);
  assert.equal(new Set(tags).size, tags.length);
  assert.ok(tags.includes("dlp") && tags.includes("more"));
  assert.deepEqual(histogram_bucket_settings, [
    { match: { prefix: "a" }, buckets: [2, 3] },
    { match: { prefix: "b" }, buckets: [1] },
  ]);
});

const ARGS: readonly (readonly [string, TestSettings, readonly string[]])[] = [
  ["levels of components are split off", { flags: { proxyLogLevel: "info,a:debug,b:error" } }, [
    "-l",
    "info",
    "--component-log-level",
    "a:debug,b:error",
  ]],
  ["durations of the configuration", {
    proxy: { drainDuration: durationOf(7000), fileFlushInterval: durationOf(250) },
  }, ["--drain-time-s", "7", "--file-flush-interval-msec", "250"]],
  ["IPv6", { addresses: { ips: ["::2"], ipv6Only: true, both: false, loopbackOnly: false } }, [
    "--local-address-ip-version",
    "v6",
  ]],
  ["an override", { override: "admin: {}" }, ["--config-yaml", "admin: {}"]],
  ["two workers for a sidecar", {}, ["--concurrency", "2"]],
  ["the CPU limit", { environ: { MESH_CPU_LIMIT: "3" } }, ["--concurrency", "3"]],
  ["the configuration over the CPU limit", {
    environ: { MESH_CPU_LIMIT: "3" },
    proxy: { concurrency: 4 },
  }, ["--concurrency", "4"]],
  ["the flag over the configuration", { flags: { concurrency: 5 }, proxy: { concurrency: 4 } }, [
    "--concurrency",
    "5",
  ]],
];
for (const [what, settings, expected] of ARGS) {
  Deno.test(`the proxy's command line: ${what}`, () => {
    const args = plan(settings).command?.args ?? [];
    for (let i = 0; i < expected.length; i += 2) {
      assert.equal(args[args.indexOf(expected[i] ?? "") + 1], expected[i + 1], args.join(" "));
    }
  });
}

for (const settings of [{ flags: { role: "router" } }, { proxy: { concurrency: 0 } }] as const) {
  Deno.test(`one worker a CPU with ${JSON.stringify(settings)}`, () => {
    assert.ok(!plan(settings).command?.args.includes("--concurrency"));
  });
}

Deno.test("STS_PORT and METADATA_DISCOVERY are in the node's metadata when they are set", () => {
  const metadata = (settings: Parameters<typeof plan>[0]) => plan(settings).node.metadata;
  assert.equal(metadata({ flags: { stsPort: 15463 } }).STS_PORT, "15463");
  assert.equal(metadata({ flags: { stsPort: 0 } }).STS_PORT, undefined);
  const environ = { MESH_META_METADATA_DISCOVERY: "true" };
  assert.equal(metadata({ environ }).METADATA_DISCOVERY, "true");
  assert.equal(metadata({}).METADATA_DISCOVERY, undefined);
});

Deno.test("without a proxy there is nothing to run", () => {
  assert.equal(plan({ environ: { DISABLE_DATAPROXY: "true" } }).command, undefined);
});

Deno.test("a template in YAML gives a file that the proxy reads as YAML", () => {
  const text = "node: {{ .node }}\nadmin:\n  profile_path: {{ .admin.profile_path }}\n";
  for (const file of ["t.yaml", "/etc/t.yaml.tmpl", "t.yml"]) {
    const made = plan({ proxy: { configPath: "/run/p" }, template: { file, text } });
    assert.equal(made.bootstrapFile, "/run/p/dataproxy-rev.yaml", file);
    const [{ document } = {}] = readYaml(made.bootstrap);
    assert.deepEqual(JSON.parse(JSON.stringify(document?.value)), {
      node: JSON.parse(JSON.stringify(made.node)),
      admin: { profile_path: "/var/lib/mesh/data/dataproxy.prof" },
    });
  }
  const json = plan({ template: { file: "t.yaml.json", text: "{}" } });
  assert.match(json.bootstrapFile, /dataproxy-rev\.json$/);
  for (
    const [wrong, says] of [["a: b: c", /not YAML/], ["[]", /not an object/], [
      "a: 1\n---\nb: 1",
      /several documents/,
    ]] as const
  ) {
    assert.throws(() => plan({ template: { file: "t.yaml", text: wrong } }), says);
  }
});

Deno.test("a template takes the place of the content", () => {
  const text =
    '{"node": {{ .node }}, "id": "{{ .node.id }}", "port": {{- .admin.address.socket_address.port_value }}}';
  const made = plan({ template: { file: "t.json", text } });
  const { id, node, port } = JSON.parse(made.bootstrap);
  assert.deepEqual([id, node.id, port], [made.node.id, made.node.id, 15000]);
  const verbatim = plan({ template: { file: "t.json", text: '{ "admin": {} }\n' } });
  assert.equal(verbatim.bootstrap, '{ "admin": {} }\n');
});

const NO_JSON: readonly (readonly [string, RegExp])[] = [
  ["admin: {}\n", /^t.json: with its values filled in, it is not JSON: /],
  ['{"id": {{ .node.id }}}', /is not JSON: /],
  ["[]", /is JSON, but not an object$/],
  ['{"a": 1', /is not JSON: /],
  ["\u001b[31m" + "x".repeat(1_000_000), /is not JSON: \P{Cc}{1,250}$/u],
];

Deno.test("a template that does not give a JSON object is refused", () => {
  for (const [text, says] of NO_JSON) {
    assert.throws(
      () => plan({ template: { file: "t.json", text } }),
      (error) => error instanceof MeshError && says.test(error.message) && Boolean(error.remedy),
    );
  }
});

for (
  const placeholder of [
    "{{ if .node }}",
    "{{ .nothing }}",
    "{{ .node.id.length }}",
    "{{ .__proto__ }}",
  ]
) {
  Deno.test(`a template with ${placeholder} is refused with its line`, () => {
    assert.throws(
      () => plan({ template: { file: "t.json", text: `{\n${placeholder}}` } }),
      (error) => error instanceof MeshError && error.message.startsWith("t.json, line 2: "),
    );
  });
}

Deno.test("an agent with a certificate serves secrets, and says so to the daemon", () => {
  const secured = plan({ proxy: { controlPlaneAuthPolicy: AuthenticationPolicy.MUTUAL_TLS } });
  assert.equal(secured.secured, true);
  assert.equal(secured.node.metadata.AGENT_CERTIFICATES, "true");
  assert.ok(secured.bootstrap.includes(secured.sdsSocket));
  const { MUTUAL_TLS } = AuthenticationPolicy;
  const named = (WORKLOAD_IDENTITY_SOCKET_FILE: string) =>
    plan({
      environ: { WORKLOAD_IDENTITY_SOCKET_FILE },
      proxy: { controlPlaneAuthPolicy: MUTUAL_TLS },
    });
  assert.ok(named("other").bootstrap.includes("workload-spiffe-uds/other"));
  for (const path of ["", "..", "a/b"]) {
    assert.throws(() => named(path), { code: "agent-socket-path" }, path);
  }
  const open = plan({});
  assert.equal(open.secured, false);
  assert.equal(open.node.metadata.AGENT_CERTIFICATES, undefined);
  assert.ok(!open.bootstrap.includes("sds-grpc"));
});

const REFUSED: readonly (readonly [string, TestSettings, RegExp])[] = [
  ["a long path", { proxy: { configPath: `/${"x".repeat(120)}` } }, /too long/],
  ["no port", { proxy: { discoveryAddress: "meshd" } }, /discoveryAddress is "meshd"/],
  ["a bare IPv6", { proxy: { discoveryAddress: "::1:15010" } }, /discoveryAddress/],
  ["a name for statsd", { proxy: { statsdUdpAddress: "statsd.example:1" } }, /statsdUdpAddress/],
  ["the agent's port as the application's", {
    environ: { MESH_METRICS_ANNOTATIONS: '{"port":"15020"}' },
  }, /15020, which is the agent's own/],
];
for (const [what, settings, message] of REFUSED) {
  Deno.test(`${what} is refused with a remedy`, () => {
    assert.throws(
      () => plan(settings),
      (error) => error instanceof MeshError && message.test(error.message) && !!error.remedy,
    );
  });
}

Deno.test("fields that do nothing are named", () => {
  const { ineffective } = plan({
    proxy: {
      availabilityZone: "z",
      tracing: { tracer: { case: "stackdriver", value: {} } },
    },
  });
  assert.deepEqual([...ineffective.keys()].sort(), [
    "availabilityZone",
    "tracing.stackdriver",
  ]);
  assert.equal(plan().ineffective.size, 0);
});

Deno.test("fields that proxies share are named where a single one says them", () => {
  const proxyHeaders = { attemptCount: {}, requestId: {} };
  const ownProxy = create(ProxyConfigSchema, { proxyHeaders });
  assert.deepEqual([...plan({ ownProxy }).ineffective.keys()], ["proxyHeaders.attemptCount"]);
  // The daemon implements them in the mesh configuration.
  assert.equal(plan({ proxy: { proxyHeaders } }).ineffective.size, 0);
});
