/**
 * Alert rules and dashboards: their metrics exist, Prometheus takes their expressions, and rules fire
 * when they should.
 *
 * @module
 */
import assert from "node:assert/strict";
import { METRICS } from "../../lib/mesh/envoy/mod.ts";
import { parseYaml, toYaml } from "../../lib/kit/text/mod.ts";
import { fromFileUrl, isOnPath, join } from "../paths.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, "charts/monitoring");
const ALERTS = join(FOLDER, "alerts.yaml");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
  readonly datasource?: { readonly type: string; readonly uid: string };
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: unknown }[];
  };
}

async function rules(): Promise<readonly Rule[]> {
  const file = parseYaml(await Deno.readTextFile(ALERTS)) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap((group) => group.rules);
}

async function dashboards(): Promise<Map<string, Dashboard>> {
  const found = new Map<string, Dashboard>();
  for await (const { name } of Deno.readDir(join(FOLDER, "dashboards"))) {
    found.set(name, JSON.parse(await Deno.readTextFile(join(FOLDER, "dashboards", name))));
  }
  return found;
}

/** Names of metrics: those of the pages of the daemon and the network plugin, and those of proxies. */
async function knownMetrics(): Promise<ReadonlySet<string>> {
  const page = await Deno.readTextFile(join(ROOT, "docs/metrics.md"));
  const plugin = await Deno.readTextFile(join(ROOT, "docs/cni.md"));
  const [daemon] = page.split("## Without a counterpart");
  const exported = daemon + plugin;
  const known = new Set<string>();
  const add = (name: string, isHistogram: boolean) => {
    known.add(name);
    if (isHistogram) { for (const end of ["bucket", "sum", "count"]) known.add(`${name}_${end}`); }
  };
  for (const [, name, kind] of exported.matchAll(/^\| `(\w+)` +\| (\w+) +\|/gm)) {
    add(name!, kind === "histogram");
  }
  for (const name of Object.values(METRICS)) add(`mesh_${name}`, /duration|_bytes$/.test(name));
  return known;
}

/** Names of metrics in an expression: words that are no function, keyword, label or text. */
function metricsIn(expression: string): string[] {
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, " ")
    .replace(/\b(?:by|on|ignoring|without)\s*\([^)]*\)/g, " ");
  return [...bare.matchAll(/\b[a-z]\w*\b(?!\s*\()/g)].map(([word]) => word)
    .filter((word) => !["and", "or", "unless", "by", "on"].includes(word));
}

async function expressions(): Promise<[where: string, expression: string][]> {
  const panels = [...await dashboards()].flatMap(([file, { panels }]) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [`${file}: ${title}`, expr] as [string, string])
    )
  );
  const alerts = (await rules()).map(({ alert, expr }) => [alert, expr] as [string, string]);
  return [...alerts, ...panels];
}

Deno.test("metrics of alerts and dashboards exist", async () => {
  const known = await knownMetrics();
  const all = await expressions();
  assert.ok(all.length > 40);
  for (const [where, expression] of all) {
    const metrics = metricsIn(expression);
    assert.ok(metrics.length > 0, `${where}: ${expression}`);
    for (const metric of metrics) assert.ok(known.has(metric), `${where}: ${metric}`);
  }
});

Deno.test("each alert has a severity, a summary and what to do", async () => {
  const names = new Set<string>();
  for (const { alert, labels, annotations } of await rules()) {
    assert.match(alert, /^Mesh[A-Z]\w+$/);
    assert.ok(!names.has(alert), alert);
    names.add(alert);
    assert.match(labels.severity!, /^(warning|critical)$/, alert);
    assert.ok(annotations.summary && annotations.description, alert);
  }
});

Deno.test("panels of dashboards have places, identities and the chosen data source", async () => {
  const found = await dashboards();
  assert.deepEqual([...found.keys()].sort(), [
    "control-plane.json",
    "network-plugin.json",
    "services.json",
  ]);
  for (const [file, { uid, title, schemaVersion, panels, templating }] of found) {
    assert.ok(uid.length <= 40 && title !== "" && schemaVersion >= 36, file);
    const variables = templating.list.map(({ name }) => name);
    const taken = new Set<string>();
    for (const { id, type, title, gridPos: { x, y, w, h }, targets = [], datasource } of panels) {
      const where = `${file}: ${title}`;
      assert.ok(["row", "stat", "timeseries"].includes(type), where);
      assert.ok(x >= 0 && x + w <= 24 && h > 0, where);
      for (let column = x; column < x + w; column++) {
        for (let line = y; line < y + h; line++) {
          assert.ok(!taken.has(`${column} ${line}`), `${where} covers another panel`);
          taken.add(`${column} ${line}`);
        }
      }
      assert.equal(panels.filter((one) => one.id === id).length, 1, where);
      if (type === "row") continue;
      assert.deepEqual(datasource, { type: "prometheus", uid: "${datasource}" }, where);
      assert.ok(targets.length > 0, where);
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, where);
      for (const { expr } of targets) {
        for (const [, name] of expr.matchAll(/\$(\w+)/g)) {
          assert.ok(name === "__rate_interval" || variables.includes(name!), `${where}: $${name}`);
        }
      }
    }
  }
});

const lacking = isOnPath("promtool") ? undefined : "needs promtool";

function promtoolTest(name: string, run: (folder: string) => Promise<void>): void {
  Deno.test({
    name: lacking === undefined ? name : `${name} [${lacking}]`,
    ignore: lacking !== undefined,
    fn: async () => {
      const folder = await Deno.makeTempDir();
      try {
        await run(folder);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

async function promtool(args: readonly string[]): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command("promtool", { args: [...args] })
    .output();
  const text = new TextDecoder();
  assert.ok(success, text.decode(stdout) + text.decode(stderr));
}

promtoolTest(
  "Prometheus takes the configuration, the alerts, and the expressions of dashboards",
  async (folder) => {
    await promtool(["check", "rules", ALERTS]);
    // Some builds have no discovery of pods: the rest of the configuration is checked.
    const configuration = await Deno.readTextFile(join(FOLDER, "prometheus.yaml"));
    const discovery = /kubernetes_sd_configs:\n *- role: pod\n/;
    assert.match(configuration, discovery);
    const checked = join(folder, "prometheus.yaml");
    await Deno.copyFile(ALERTS, join(folder, "alerts.yaml"));
    await Deno.writeTextFile(checked, configuration.replace(discovery, "static_configs: []\n"));
    await promtool(["check", "config", checked]);
    const rules = (await expressions()).map(([, expression], at) => ({
      record: `panel:${at}`,
      expr: expression.replaceAll("$__rate_interval", "5m").replaceAll("$service", ".*"),
    }));
    const file = join(folder, "panels.yaml");
    await Deno.writeTextFile(file, toYaml({ groups: [{ name: "panels", rules }] }));
    await promtool(["check", "rules", file]);
  },
);

/** Series of an hour, and the alerts that fire at its end; everything else is well. */
const SITUATIONS: readonly {
  readonly series: Readonly<Record<string, string>>;
  readonly fires: readonly string[];
}[] = [
  { series: {}, fires: [] },
  { series: { pilot_info: "_x120" }, fires: ["MeshDaemonAbsent"] },
  {
    series: { 'pilot_total_xds_rejects{type="cds"}': "0+1x120" },
    fires: ["MeshProxiesRejectConfiguration"],
  },
  { series: { 'mesh_xds_quarantined{type="rds"}': "1x120" }, fires: ["MeshResourcesQuarantined"] },
  { series: { pilot_config_documents_rejected: "2x120" }, fires: ["MeshConfigurationRejected"] },
  {
    series: { 'mesh_source_healthy{source="orchestrator"}': "0x120" },
    fires: ["MeshSourceUnreadable"],
  },
  {
    series: {
      'pilot_proxy_convergence_time_bucket{le="10"}': "0+1x120",
      'pilot_proxy_convergence_time_bucket{le="30"}': "0+9x120",
      'pilot_proxy_convergence_time_bucket{le="+Inf"}': "0+9x120",
    },
    fires: ["MeshConvergenceSlow"],
  },
  { series: { mesh_oldest_difference_seconds: "300x120" }, fires: ["MeshChangesUnanswered"] },
  { series: { mesh_graph_faults: "1x120" }, fires: ["MeshComputationsFail"] },
  { series: { mesh_selfaudit_differences_total: "0+1x120" }, fires: ["MeshAuditFoundDifference"] },
  {
    series: { 'mesh_event_loop_stall_seconds_sum{instance="a"}': "0+30x120" },
    fires: ["MeshEventLoopBlocked"],
  },
  { series: { sidecar_injection_failure_total: "0+1x120" }, fires: ["MeshInjectionFails"] },
  {
    series: { 'webhook_patch_failures_total{name="x"}': "0+1x120" },
    fires: ["MeshWebhookConfigurationNotKept"],
  },
  {
    series: {
      'mesh_leader{election="e",instance="a"}': "0x120",
      'mesh_leader{election="e",instance="b"}': "0x120",
    },
    fires: ["MeshControllersWithoutLeader"],
  },
  {
    series: { meshca_server_root_cert_expiry_seconds: "2000000x120" },
    fires: ["MeshRootCertificateExpires"],
  },
  {
    series: { meshca_server_cert_chain_expiry_seconds: "1000x120" },
    fires: ["MeshSigningCertificateExpires"],
  },
  { series: { meshca_server_csr_sign_err_count: "0+1x120" }, fires: ["MeshCertificatesNotSigned"] },
  {
    series: { 'meshd_remote_cluster_sync_status{cluster="c",state="timeout"}': "1x120" },
    fires: ["MeshRemoteClusterNotSynced"],
  },
  {
    series: { 'mesh_remote_cluster_credential_expiry_timestamp{cluster="c"}': "10000x120" },
    fires: ["MeshRemoteCredentialsExpire"],
  },
  {
    series: { 'mesh_cni_install_ready{pod="a"}': "0x120" },
    fires: ["MeshNetworkPluginNotInstalled"],
  },
  {
    series: { 'mesh_cni_redirection_verified{pod="a",family="IPv6"}': "0x120" },
    fires: ["MeshRedirectionNotVerified"],
  },
  {
    series: { 'mesh_cni_installs_total{pod="a",result="CREATE_CNI_CONFIG_FAILURE"}': "0+1x120" },
    fires: ["MeshNetworkPluginInstallationFails"],
  },
  {
    series: { 'mesh_cni_installs_total{pod="a",result="SUCCESS"}': "0+1x120" },
    fires: ["MeshNetworkPluginRewritten"],
  },
  {
    series: { 'mesh_cni_plugin_requests_total{pod="a",command="ADD",result="failure"}': "0+1x120" },
    fires: ["MeshNetworkPluginCallsFail"],
  },
  {
    series: {
      'mesh_cni_repair_pods_repaired_total{pod="a",type="repair",result="fail"}': "0+1x120",
    },
    fires: ["MeshBrokenPodsNotRepaired"],
  },
  { series: { 'mesh_proxy_exits_total{by="9"}': "0+1x120" }, fires: ["MeshProxiesExit"] },
  {
    series: {
      'mesh_requests_total{reporter="destination",destination_service="s",response_code="500"}':
        "0+1x120",
      'mesh_requests_total{reporter="destination",destination_service="s",response_code="200"}':
        "0+9x120",
    },
    fires: ["MeshServiceErrors"],
  },
];

/** A mesh without trouble. */
const WELL: Readonly<Record<string, string>> = {
  pilot_info: "1x120",
  pilot_config_documents_rejected: "0x120",
  mesh_oldest_difference_seconds: "1x120",
  mesh_graph_faults: "0x120",
  'mesh_source_healthy{source="orchestrator"}': "1x120",
  'mesh_leader{election="e",instance="a"}': "0x120",
  'mesh_leader{election="e",instance="b"}': "1x120",
  meshca_server_root_cert_expiry_seconds: "300000000x120",
  meshca_server_cert_chain_expiry_seconds: "300000000x120",
  sidecar_injection_failure_total: "3x120",
  'mesh_cni_install_ready{pod="a"}': "1x120",
  'mesh_cni_redirection_verified{pod="a",family="IPv4"}': "1x120",
  'mesh_cni_redirection_verified{pod="a",family="IPv6"}': "1x120",
  // An installation now and then is no trouble: tokens are renewed.
  'mesh_cni_installs_total{pod="a",result="SUCCESS"}': "1x60 2x60",
  'mesh_cni_plugin_requests_total{pod="a",command="ADD",result="success"}': "0+9x120",
};

promtoolTest(
  "each alert fires when it should, and not in a mesh without trouble",
  async (folder) => {
    const all = await rules();
    assert.deepEqual(
      SITUATIONS.flatMap(({ fires }) => fires).sort(),
      all.map(({ alert }) => alert).sort(),
    );
    const tests = SITUATIONS.map(({ series, fires }) => ({
      interval: "1m",
      input_series: Object.entries({ ...WELL, ...series })
        .map(([series, values]) => ({ series, values })),
      // The number of alerts that fire, by name: descriptions are not repeated here.
      promql_expr_test: all.map(({ alert }) => ({
        expr: `count(ALERTS{alertname="${alert}", alertstate="firing"}) > bool 0 or vector(0)`,
        eval_time: "2h",
        exp_samples: [{ labels: "{}", value: fires.includes(alert) ? 1 : 0 }],
      })),
    }));
    const file = join(folder, "tests.yaml");
    const text = toYaml({ rule_files: [ALERTS], evaluation_interval: "1m", tests });
    await Deno.writeTextFile(file, text);
    await promtool(["test", "rules", file]);
  },
);
