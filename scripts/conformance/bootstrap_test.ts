import assert from "node:assert/strict";
import { BOOTSTRAP } from "./bootstrap.ts";
import { comparable } from "./bootstrap_parts.ts";
import { fromTextFormat } from "./text_format.ts";

const CONFIG = `# a sidecar
config_path: "/etc/mesh/proxy"
binary_path: "/usr/local/bin/dataproxy"
drain_duration: {seconds: 2}
discovery_address: "meshd:15010"
proxy_admin_port: 15000
status_port: 15020
control_plane_auth_policy: NONE
tracing: { zipkin: { address: "zipkin.test:6000" } }
proxy_metadata: { key: "METRICS_LOCALHOST_ACCESS_ONLY" value: "true" }
`;

const ONE = {
  name: "one",
  inputs: ["in"],
  options: {
    node: {
      instanceIPs: ["10.0.0.1"],
      outlierLogPath: "/dev/stdout",
      statusPort: 15020,
      dataproxyPrometheusPort: 15090,
      dataproxyStatusPort: 15021,
    },
  },
  golden: "golden",
};

/** The judgement of the case with a golden file. */
function judged(golden: string): string | undefined {
  const read = (file: string) => file === "in" ? CONFIG : golden;
  return BOOTSTRAP.judge(ONE, read, "") as string | undefined;
}

Deno.test("bootstrap: a file without the parts of Mesh's file differs, and the path is named", () => {
  const empty = {
    node: { metadata: { PROXY_CONFIG: {} } },
    layered_runtime: { layers: [{ static_layer: {} }] },
  };
  assert.match(judged(JSON.stringify(empty)) ?? "", /^\.\w+/);
});

Deno.test("bootstrap: only what Mesh makes in its own way is made equal", () => {
  const file = (address: string, limit: object) => ({
    node: { metadata: { PROXY_CONFIG: { drainDuration: "2s" } } },
    layered_runtime: { layers: [{ static_layer: { a: true } }] },
    static_resources: { clusters: [{ name: "x", address }], listeners: [] },
    ...limit,
  });
  const options = { locality: false };
  const mine = file("a", {
    overload_manager: {
      resource_monitors: [{ typed_config: { max_active_downstream_connections: 7 } }],
    },
  });
  const theirs = {
    ...file("a", {}),
    layered_runtime: {
      layers: [{ static_layer: { a: true, "overload.global_downstream_max_connections": "7" } }],
    },
  };
  assert.deepEqual(comparable(mine, theirs, options), comparable(theirs, mine, options));
  const other = { ...theirs, ...file("b", {}) };
  assert.notDeepEqual(comparable(mine, other, options), comparable(other, mine, options));
});

Deno.test("text format: fields, messages, lists, maps, durations", () => {
  const { statusPort, proxyMetadata, drainDuration, tracing } = fromTextFormat(CONFIG);
  assert.deepEqual([statusPort, drainDuration], [15020, "2s"]);
  assert.deepEqual(proxyMetadata, { METRICS_LOCALHOST_ACCESS_ONLY: "true" });
  assert.deepEqual(tracing, { zipkin: { address: "zipkin.test:6000" } });
  assert.deepEqual(
    fromTextFormat('a: [1, 2] b: "x" b: "y" c { d: true } m {key: "k" value: ""} m {key: "l"}'),
    { a: [1, 2], b: ["x", "y"], c: { d: true }, m: { k: "", l: "" } },
  );
  assert.deepEqual(fromTextFormat('m: [{key: "k", value: "v"}, {key: "l" value: "w"}]'), {
    m: { k: "v", l: "w" },
  });
  assert.throws(() => fromTextFormat("a { b: 1"), /} is missing/);
});
