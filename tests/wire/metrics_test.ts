/**
 * Metrics of a running daemon: each one that dashboards use is exported and changes with its
 * subject, or `docs/metrics.md` has the reason.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { GIVEN, namingFaults } from "../../scripts/metric_names.ts";
import { familiesOf, metricsPage, NONE } from "../../scripts/metrics_page.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { connectJudging, type JudgingClient } from "../support/judging_client.ts";
import { metricOf } from "../support/views.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

const PAGE = new URL("../../docs/metrics.md", import.meta.url);
const SPEC = (Deno.env.get("MESH_SPEC_DIR") ??
  new URL("../../../shared/spec", import.meta.url).pathname) + "/silent-points.md";

/** Moved by tests of their own, which name them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  controller_sync_errors_total: "lib/cluster/controllers/reconcile_test.ts",
  pilot_worker_queue_depth: "lib/cluster/controllers/writes_test.ts",
  pilot_worker_queue_duration: "lib/cluster/controllers/writes_test.ts",
  pilot_worker_queue_latency: "lib/cluster/controllers/writes_test.ts",
  auto_registration_deletes_total: "tests/wire/registration_test.ts",
  auto_registration_errors_total: "tests/wire/registration_test.ts",
  auto_registration_success_total: "tests/wire/registration_test.ts",
  auto_registration_unregister_total: "tests/wire/registration_test.ts",
  auto_registration_updates_total: "tests/wire/registration_test.ts",
  mesh_controller_passes_total: "tests/orch/controllers_test.ts",
  mesh_controller_writes_total: "tests/orch/controllers_test.ts",
  mesh_leader: "tests/orch/controllers_test.ts",
  mesh_leader_transitions_total: "tests/orch/controllers_test.ts",
  galley_validation_config_load_error: "lib/cluster/webhooks/configurations_test.ts",
  galley_validation_config_update_error: "lib/cluster/webhooks/configurations_test.ts",
  galley_validation_config_updates: "tests/orch/webhooks_test.ts",
  galley_validation_failed: "tests/orch/webhooks_test.ts",
  galley_validation_http_error: "lib/cluster/webhooks/webhooks_test.ts",
  galley_validation_passed: "tests/orch/webhooks_test.ts",
  sidecar_injection_failure_total: "tests/orch/webhooks_test.ts",
  sidecar_injection_requests_total: "tests/orch/webhooks_test.ts",
  sidecar_injection_skip_total: "tests/orch/webhooks_test.ts",
  sidecar_injection_success_total: "tests/orch/webhooks_test.ts",
  sidecar_injection_time_seconds: "tests/orch/webhooks_test.ts",
  webhook_patch_attempts_total: "tests/orch/webhooks_test.ts",
  webhook_patch_failures_total: "lib/cluster/webhooks/configurations_test.ts",
  webhook_patch_retries_total: "lib/cluster/webhooks/configurations_test.ts",
  meshca_server_authentication_failure_count: "lib/cluster/ca/service_test.ts",
  meshca_server_csr_count: "lib/cluster/ca/service_test.ts",
  meshca_server_csr_parsing_err_count: "lib/cluster/ca/service_test.ts",
  meshca_server_csr_sign_err_count: "lib/cluster/ca/service_test.ts",
  meshca_server_id_extraction_err_count: "lib/cluster/ca/service_test.ts",
  meshca_server_success_cert_issuance_count: "lib/cluster/ca/service_test.ts",
  pilot_dataproxy_filter_status: "lib/insight/monitor/patches_test.ts",
  pilot_total_xds_internal_errors: "lib/mesh/xds/metrics_test.ts",
  meshd_remote_cluster_sync_status: "tests/orch/clusters_test.ts",
  pilot_xds_write_timeout: "lib/mesh/xds/stream/abuse_test.ts",
  remote_cluster_secret_events_total: "tests/orch/clusters_test.ts",
  remote_cluster_sync_timeouts_total: "tests/orch/clusters_test.ts",
  endpoint_no_pod: "tests/orch/services_test.ts",
  pilot_endpoint_not_ready: "tests/orch/services_test.ts",
  pilot_k8s_cfg_events: "tests/orch/services_test.ts",
  pilot_k8s_endpoints_pending_pod: "tests/orch/services_test.ts",
  pilot_k8s_endpoints_with_no_pods: "tests/orch/services_test.ts",
  pilot_k8s_proxies_with_no_service_targets: "tests/orch/cases/unselected_pods.ts",
  pilot_k8s_reg_events: "tests/orch/services_test.ts",
};

/**
 * Expected metrics of the daemon, after {@link CONFIG} and {@link connectRejecting}; `+`: above 0.
 */
const EXPECTED: Readonly<Record<string, number | "+">> = {
  meshca_server_cert_chain_expiry_seconds: "+",
  meshca_server_cert_chain_expiry_timestamp: "+",
  meshca_server_root_cert_expiry_seconds: "+",
  meshca_server_root_cert_expiry_timestamp: "+",
  mesh_build: 1,
  mesh_graph_computed_total: "+",
  mesh_service_ports_unserved: 1,
  meshd_managed_clusters: 1,
  meshd_uptime_seconds: "+",
  pilot_conflict_inbound_listener: 1,
  pilot_conflict_outbound_listener_tcp_over_current_tcp: 1,
  pilot_debounce_time: "+",
  pilot_destrule_subsets: 1,
  pilot_dns_cluster_without_endpoints: 1,
  pilot_duplicate_dataproxy_clusters: 1,
  pilot_eds_no_instances: 1,
  pilot_inbound_updates: "+",
  pilot_info: 1,
  pilot_jwks_resolver_network_fetch_fail_total: "+",
  pilot_jwks_resolver_network_fetch_success_total: "+",
  pilot_no_ip: 1,
  pilot_proxy_convergence_time: "+",
  pilot_proxy_queue_time: "+",
  pilot_push_triggers: "+",
  pilot_pushcontext_init_seconds: "+",
  pilot_services: 7,
  pilot_sds_certificate_errors_total: "+",
  pilot_total_rejected_configs: "+",
  pilot_total_xds_rejects: "+",
  pilot_virt_services: 2,
  pilot_vservice_dup_domain: 1,
  pilot_xds: 2,
  pilot_xds_cds_reject: 2,
  pilot_xds_eds_reject: 2,
  pilot_xds_lds_reject: 2,
  pilot_xds_rds_reject: 2,
  pilot_xds_config_size_bytes: "+",
  pilot_xds_expired_nonce: "+",
  pilot_xds_push_time: "+",
  pilot_xds_pushes: "+",
  pilot_xds_recv_max: "+",
  pilot_xds_send_time: "+",
  provider_lookup_cluster_failures: 1,
  xds_cache_dependent_config_size: "+",
  xds_cache_reads: "+",
};

/** Expected metrics when the proxies have disconnected, before the cache is cleared. */
const UNUSED: typeof EXPECTED = { xds_cache_size: "+" };

/** Expected metrics afterwards. */
const AFTERWARDS: typeof EXPECTED = { pilot_no_ip: 0, xds_cache_evictions: "+" };

const HTTP = { number: 80, protocol: "HTTP" };
const TCP = { number: 90, protocol: "TCP" };
/** Address of the second proxy's workload. */
const WORKLOAD = "10.0.0.1";

const at = (port: number) => ({ address: WORKLOAD, ports: { main: port }, labels: { v: "1" } });
const routes = (name: string) =>
  manifest("VirtualService", name, { hosts: ["a.test"], http: [to("a.test")] });
const rule = (name: string) =>
  manifest("DestinationRule", name, {
    host: "a.test",
    subsets: [{ name: "one", labels: { v: "1" } }],
  });

/** One of every mistake that is counted. */
const CONFIG = documents(
  serviceEntry("a", ["a.test"], HTTP, [at(8080)]),
  serviceEntry("b", ["b.test"], TCP, { endpoints: [at(8080)], addresses: ["10.96.0.1"] }),
  serviceEntry("empty", ["empty.test"], HTTP, []),
  serviceEntry("twice", ["twice.test"], HTTP, [endpoint(1)]),
  serviceEntry("again", ["twice.test"], HTTP, [endpoint(1)]),
  serviceEntry("names", ["names.test"], HTTP, {
    endpoints: [],
    resolution: "DNS",
    workloadSelector: { labels: { app: "none" } },
  }),
  serviceEntry("other", ["names.test"], { number: 81, protocol: "HTTP" }, []),
  serviceEntry("open", ["open.test"], TCP, [endpoint(1)]),
  serviceEntry("closed", ["closed.test"], TCP, [endpoint(1)]),
  ...["one", "two"].flatMap((name) => [routes(name), rule(name)]),
);

/** The authorization provider's service does not exist. */
const MESH = `
extensionProviders:
- name: nowhere
  dataproxyExtAuthzGrpc: { service: gone.test, port: 9000 }
`;

/** A proxy that asks for all types and rejects whatever it is sent. */
function connectRejecting(xds: string, name: string, ip: string): JudgingClient {
  const client = connectJudging(xds, {
    name,
    ip,
    routes: ["80"],
    endpoints: ["outbound|80||a.test"],
    judge: () => "none of it",
  });
  client.send({ typeUrl: TYPE_URLS.cluster, responseNonce: "of another time" });
  return client;
}

/** A set of keys that can be fetched. */
async function startIssuer() {
  const { publicKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  );
  const key = await crypto.subtle.exportKey("jwk", publicKey);
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) =>
      url.endsWith("/none")
        ? new Response("", { status: 404 })
        : Response.json({ keys: [{ ...key, kid: "k" }] }),
  );
}

/** Sum over labels; of histograms, of the number of observations. */
async function valueOf(daemon: Daemon, name: string): Promise<number> {
  return await metricOf(daemon, name) ?? await metricOf(daemon, `${name}_count`) ?? NaN;
}

Deno.test("a daemon's metrics are those of the page, and move with what they count", async (t) => {
  await using config = await makeConfigDir();
  await using issuer = await startIssuer();
  const mesh = `${config.path}/.mesh`;
  await Deno.writeTextFile(mesh, MESH);
  // A certificate without its key.
  await Deno.mkdir(`${config.path}/.credentials/test/half`, { recursive: true });
  await Deno.writeTextFile(`${config.path}/.credentials/test/half/tls.crt`, "none");
  await config.write("a.yaml", CONFIG);
  await config.write("broken.yaml", "kind: [");
  await using daemon = await startDaemon({
    configDir: config.path,
    secured: freePort(),
    args: [`--meshConfig=${mesh}`],
    env: {
      MESH_CREDENTIAL_DIR: `${config.path}/.credentials`,
      JWKS_ALLOWED_CIDRS: "127.0.0.0/8",
      PILOT_XDS_CACHE_STATS: "true",
      MESH_ENABLE_CONTROLLER_QUEUE_METRICS: "true",
      // Counters move that often, and what proxies used stays that long for the test to see it.
      PILOT_XDS_CACHE_INDEX_CLEAR_INTERVAL: "2s",
    },
  });
  const leave = [
    connectRejecting(daemon.xds, "stranger", "10.9.9.9"),
    connectRejecting(daemon.xds, "known", WORKLOAD),
  ];
  try {
    const keys = (name: string, path: string) =>
      manifest("RequestAuthentication", name, {
        jwtRules: [{ issuer: name, jwksUri: `http://127.0.0.1:${issuer.addr.port}/${path}` }],
      }).replace("networking.mesh.io/v1", "security.mesh.io/v1");
    await config.write("keys.yaml", documents(keys("good", "keys"), keys("bad", "none")));
    /** `+`: more than 0. `-`: no series any more. */
    const comes = (name: string, wanted: number | "+" | "-") =>
      t.step(name, async () => {
        let value = NaN;
        await eventually(`${name} to be ${wanted}`, async () => {
          value = await valueOf(daemon, name);
          if (wanted === "-") return Number.isNaN(value);
          return wanted === "+" ? value > 0 : value === wanted;
        }).catch(() => assert.equal(value, wanted, name));
      });
    for (const [name, wanted] of Object.entries(EXPECTED)) await comes(name, wanted);
    // The resources of closed proxies are released.
    await Promise.all(leave.map((each) => each[Symbol.asyncDispose]()));
    await comes("pilot_xds", "-");
    for (const [name, wanted] of Object.entries(UNUSED)) await comes(name, wanted);
    await (await fetch(`${daemon.http}/debug/cachez?clear=true`)).body?.cancel();
    for (const [name, wanted] of Object.entries(AFTERWARDS)) await comes(name, wanted);
    const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
    await t.step("the page is what is exported", () => comparePage(text));
    await t.step("unavailable metrics are not in the output", () => checkAbsent(text));
    await t.step("names follow the conventions", () => checkNames(text));
  } finally {
    await Promise.all(leave.map((each) => each[Symbol.asyncDispose]()));
  }
});

async function comparePage(text: string): Promise<void> {
  const page = `${metricsPage(familiesOf(text))}\n`;
  if (Deno.env.get("UPDATE_GOLDENS") === "1") return await Deno.writeTextFile(PAGE, page);
  assert.equal(await Deno.readTextFile(PAGE), page);
}

function checkAbsent(text: string): void {
  const exported = new Set(familiesOf(text).map(({ name }) => name));
  for (const { names } of NONE) {
    for (const name of names) assert.ok(!exported.has(name), `${name} is exported, though absent`);
  }
}

/** Names that the interface gives are exempt; a name that is exempt must need it. */
function checkNames(text: string): void {
  const families = familiesOf(text);
  const own = families.filter(({ name }) => !GIVEN.has(name));
  assert.deepEqual(namingFaults(own), []);
  for (const name of GIVEN) {
    const given = families.filter((family) => family.name === name);
    assert.ok(given.length === 0 || namingFaults(given).length > 0, `${name} needs no exemption`);
  }
}

/** Histograms without a series on the page; the tests that move them compare their buckets. */
const WITHOUT_SERIES: ReadonlySet<string> = new Set([
  "pilot_worker_queue_duration",
  "pilot_worker_queue_latency",
]);

/** The rows of the interface description about the daemon: name, kind, buckets. */
async function described(): Promise<Map<string, [kind: string, buckets: string]> | undefined> {
  const text = await Deno.readTextFile(SPEC).catch(() => undefined);
  const rows = text?.matchAll(/^\| (\w+) \| (\w+) \([^|]*\) \| daemon \| (?:\{([^}]*)\})? *\|/gm);
  return rows &&
    new Map([...rows].map(([, name, kind, buckets = ""]) => [name!, [kind!, buckets]]));
}

const rows = await described();

Deno.test({
  name: `every metric of the interface is exported or accounted for${
    rows ? "" : " [no description in MESH_SPEC_DIR]"
  }`,
  ignore: rows === undefined,
  fn: async () => {
    assert.ok(rows!.size > 80, `${rows!.size}`);
    const absent = new Set(NONE.flatMap(({ names }) => names));
    /** Exempt from the conventions of names, and not seen in the description yet. */
    const given = new Set(GIVEN);
    const page = await Deno.readTextFile(PAGE);
    for (const [name, [kind, buckets]] of rows!) {
      if (absent.has(name)) continue;
      given.delete(name);
      assert.ok(
        name in EXPECTED || name in UNUSED || name in AFTERWARDS || name in ELSEWHERE,
        `nothing moves ${name}`,
      );
      const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\``));
      assert.ok(row !== undefined, `${name} is not on the page`);
      const [, , shown = "", , bounds = ""] = row.split("|").map((cell) => cell.trim());
      const kinds: Record<string, string> = { Sum: "counter", LastValue: "gauge" };
      assert.equal(shown, kinds[kind] ?? "histogram", name);
      if (buckets !== "" && !WITHOUT_SERIES.has(name)) {
        assert.deepEqual(bounds.split(",").map(Number), buckets.split(",").map(Number), name);
      }
    }
    assert.deepEqual([...given], [], "exempt, though the interface does not give the names");
  },
});

Deno.test("metrics that other tests move are named there", async () => {
  for (const [name, file] of Object.entries(ELSEWHERE)) {
    const text = await Deno.readTextFile(new URL(`../../${file}`, import.meta.url));
    assert.ok(text.includes(name), `${file} does not name ${name}`);
  }
});
