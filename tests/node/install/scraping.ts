/**
 * A Prometheus in the network of a cluster, with the configuration and the alerts of
 * `charts/monitoring`. Some builds, such as that of Debian, cannot list pods themselves: they are given
 * the pods by a file, with the labels that the discovery of pods gives, and do all else.
 *
 * @module
 */
import assert from "node:assert/strict";
import { listAll, type ListItem, types } from "../../../lib/kit/orch/mod.ts";
import type { JsonObject } from "../../../lib/kit/proto/mod.ts";
import { parseYaml, toYaml } from "../../../lib/kit/text/mod.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { clientOf, podsEventually } from "../../support/node.ts";

const FOLDER = new URL("../../../charts/monitoring/", import.meta.url);
const PORT = 9090;

/** The pods that must be found, by the beginning of their names. */
const WANTED = [/^meshd-/, /^mesh-ingressgateway-/, /^mesh-egressgateway-/, /^web-/];

/** Series that must be there: of the daemon, and requests of the gateway and the application. */
const COUNTED = [
  'pilot_info{pod=~"meshd-.*"}',
  'mesh_requests_total{pod=~"mesh-ingressgateway-.*"} > 0',
  'mesh_requests_total{namespace="shop", pod=~"web-.*", reporter="destination"} > 0',
];

/** Asserts that Prometheus finds and scrapes all parts of the mesh, and evaluates all alerts. */
export async function meshIsScraped(cluster: NodeCluster): Promise<void> {
  const { dir, space } = cluster;
  const folder = `${dir}/prometheus`;
  await Deno.mkdir(folder);
  const pods = await podsOf(cluster);
  await Deno.writeTextFile(`${folder}/pods.json`, JSON.stringify(pods.map(described)));
  await Deno.writeTextFile(`${folder}/prometheus.yaml`, await configuration());
  await Deno.copyFile(new URL("alerts.yaml", FOLDER), `${folder}/alerts.yaml`);
  await space.launch("prometheus", [
    "prometheus",
    `--config.file=${folder}/prometheus.yaml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=:${PORT}`,
  ]);
  try {
    await podsAreUp(cluster, pods);
    for (const expression of COUNTED) {
      await podsEventually(expression, async () => (await query(cluster, expression)).length > 0);
    }
    await dashboardsAreAnswered(cluster);
    await alertsAreEvaluated(cluster);
  } catch (cause) {
    throw new Error(await space.log("prometheus"), { cause });
  } finally {
    await space.stop("prometheus");
  }
}

/** The configuration, faster, and with pods by a file. */
async function configuration(): Promise<string> {
  const text = await Deno.readTextFile(new URL("prometheus.yaml", FOLDER));
  const { scrape_configs: [job], ...rest } = parseYaml(text) as unknown as {
    readonly scrape_configs: readonly JsonObject[];
  };
  const { kubernetes_sd_configs, ...others } = job!;
  assert.equal(JSON.stringify(kubernetes_sd_configs), '[{"role":"pod"}]');
  return toYaml({
    ...rest,
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    scrape_configs: [{ ...others, file_sd_configs: [{ files: ["pods.json"] }] }],
  });
}

interface Container {
  readonly ports?: readonly { readonly containerPort: number }[];
}

interface Pod extends ListItem {
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
  readonly status?: { readonly phase?: string; readonly podIP?: string };
}

async function podsOf(cluster: NodeCluster): Promise<Pod[]> {
  using client = await clientOf(cluster);
  const pods = await listAll<Pod>(client, types.POD);
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** All pods as the discovery of pods describes them: a target for each port. */
function described({ metadata, spec = {}, status = {} }: Pod): JsonObject {
  const { podIP = "", phase = "" } = status;
  const containers = [...spec.initContainers ?? [], ...spec.containers ?? []];
  const ports = containers.flatMap((one) => one.ports ?? []);
  const annotations = Object.entries(metadata.annotations ?? {}).map(([name, value]) => [
    `__meta_kubernetes_pod_annotation_${name.replaceAll(/[^a-zA-Z0-9_]/g, "_")}`,
    value,
  ]);
  return {
    targets: ports.length === 0 ? [podIP] : ports.map((port) => `${podIP}:${port.containerPort}`),
    labels: {
      __meta_kubernetes_namespace: metadata.namespace ?? "",
      __meta_kubernetes_pod_name: metadata.name,
      __meta_kubernetes_pod_ip: podIP,
      __meta_kubernetes_pod_phase: phase,
      ...Object.fromEntries(annotations),
    },
  };
}

/** Exactly the pods with the annotation are scraped, each once, and all answer. */
async function podsAreUp(cluster: NodeCluster, pods: readonly Pod[]): Promise<void> {
  const names = pods.filter(({ metadata }) => {
    return metadata.annotations?.["prometheus.io/scrape"] === "true";
  }).map(({ metadata }) => metadata.name);
  for (const wanted of WANTED) assert.ok(names.some((name) => wanted.test(name)), `${wanted}`);
  await podsEventually("all pods of the mesh to be scraped", async () => {
    const up = await query(cluster, 'up{job="mesh-pods"}');
    const found = up.map(({ metric, value: [, value] }) => `${metric.pod} ${value}`);
    assert.deepEqual(
      found.sort(),
      names.map((name) => `${name} 1`).sort(),
      JSON.stringify(await api(cluster, "targets?state=active")),
    );
    return true;
  });
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

/** Panels of which a fresh mesh with requests must have a line. */
const SHOWN = ["Daemons", "Proxies", "Services", "Requests", "Duration, p99", "Callers", "CPU"];

/** Prometheus evaluates every query of every dashboard, and has series for those of a fresh mesh. */
async function dashboardsAreAnswered(cluster: NodeCluster): Promise<void> {
  const folder = new URL("dashboards/", FOLDER);
  const files = await Array.fromAsync(Deno.readDir(folder));
  const dashboards = await Promise.all(
    files.map(async ({ name }) =>
      JSON.parse(await Deno.readTextFile(new URL(name, folder))) as Dashboard
    ),
  );
  const panels = dashboards.flatMap((one) => one.panels).filter(({ targets }) => targets);
  for (const { title, targets = [] } of panels) {
    const expressions = targets.map(({ expr }) =>
      expr.replaceAll("$__rate_interval", "1m").replaceAll("$service", ".*")
    );
    const answers = () => Promise.all(expressions.map((one) => query(cluster, one)));
    if (!SHOWN.includes(title)) await answers();
    else {
      await podsEventually(
        `series of the panel ${title}`,
        async () => (await answers()).every((series) => series.length > 0),
      );
    }
  }
}

/** All rules were evaluated without an error, and none fires or is about to fire. */
async function alertsAreEvaluated(cluster: NodeCluster): Promise<void> {
  const { groups: written } = parseYaml(
    await Deno.readTextFile(new URL("alerts.yaml", FOLDER)),
  ) as unknown as { groups: { rules: { alert: string }[] }[] };
  const wanted = written.flatMap(({ rules }) => rules.map(({ alert }) => `${alert} ok inactive`));
  await podsEventually("all alerts to be evaluated", async () => {
    const { groups } = await api(cluster, "rules") as { groups: { rules: Rule[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    const states = rules.map(({ name, health, state }) => `${name} ${health} ${state}`);
    assert.deepEqual(states.sort(), wanted.sort(), JSON.stringify(rules));
    return true;
  });
}

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly state: string;
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

async function query(cluster: NodeCluster, expression: string): Promise<Series[]> {
  const path = `query?query=${encodeURIComponent(expression)}`;
  return (await api(cluster, path) as { result: Series[] }).result;
}

async function api({ server }: NodeCluster, path: string): Promise<unknown> {
  const url = `http://${new URL(server).hostname}:${PORT}/api/v1/${path}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const body = await answer.json();
  assert.equal(body.status, "success", JSON.stringify(body));
  return body.data;
}
