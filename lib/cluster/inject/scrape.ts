/**
 * The annotations by which a collector of metrics finds pods: they point to the agent, which merges the
 * application's metrics with those of the proxy.
 *
 * @module
 */
import { booleanOf } from "./booleans.ts";
import { annotationsOf, type Pod } from "./objects.ts";

/** The path of the agent with the merged metrics. */
const MERGED_PATH = "/stats/prometheus";

/**
 * The annotations that collectors read, by the form in which collectors compare names: every character
 * other than letters, digits and `_` is `_`.
 */
const FIELDS: Readonly<Record<string, "scrape" | "port" | "path">> = {
  prometheus_io_scrape: "scrape",
  prometheus_io_port: "port",
  prometheus_io_path: "path",
};

/** Annotations of the pod, and the value of `MESH_METRICS_ANNOTATIONS` if the application has metrics. */
export interface ScrapeChange {
  /** All annotations; other spellings of those that collectors read are removed. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly variable: string | undefined;
}

/**
 * The changes for merged metrics; `undefined` if the pod is not scraped, if merging is off, or if the
 * pod has them already.
 *
 * @param statusPort the port of the mesh's configuration, also for pods whose agent has another one
 */
export function mergedScrape(
  pod: Pod,
  { statusPort, enabled }: { readonly statusPort: number; readonly enabled: boolean },
): ScrapeChange | undefined {
  const annotations = annotationsOf(pod);
  const own = booleanOf(annotations["prometheus.mesh.io/merge-metrics"]);
  if (!(own ?? enabled)) return undefined;
  const application = { scrape: "", path: "", port: "" };
  const others: Record<string, string> = {};
  for (const [name, value] of Object.entries(annotations)) {
    const field = fieldOf(name);
    if (field === undefined) others[name] = value;
    else application[field] = value;
    if (field === "scrape" && booleanOf(value) === false) return undefined;
  }
  if (application.port === String(statusPort)) return undefined;
  const hasApplication = Object.values(application).some((text) => text !== "");
  return {
    annotations: {
      ...others,
      "prometheus.io/scrape": "true",
      "prometheus.io/port": String(statusPort),
      "prometheus.io/path": MERGED_PATH,
    },
    variable: hasApplication ? JSON.stringify(application) : undefined,
  };
}

/** Reports if annotations have the path of the agent. */
export function pointsToAgent(annotations: Readonly<Record<string, string>>): boolean {
  return Object.entries(annotations)
    .some(([name, value]) => fieldOf(name) === "path" && value === MERGED_PATH);
}

function fieldOf(name: string): "scrape" | "port" | "path" | undefined {
  const plain = name.replace(/[^A-Za-z0-9_]/g, "_");
  return Object.hasOwn(FIELDS, plain) ? FIELDS[plain] : undefined;
}
