/**
 * The annotations by which a collector of metrics finds pods: they point to the agent, which merges the
 * application's metrics with those of the proxy.
 *
 * @module
 */
import { annotationsOf, type Pod } from "./objects.ts";

/** The path of the agent with the merged metrics. */
const MERGED_PATH = "/stats/prometheus";

/** The annotations that collectors read. */
const SCRAPE = "prometheus.io/scrape";
const PORT = "prometheus.io/port";
const PATH = "prometheus.io/path";

/** Annotations for the pod, and the value of `MESH_METRICS_ANNOTATIONS` if the application has metrics. */
export interface ScrapeChange {
  readonly annotations: Readonly<Record<string, string>>;
  readonly variable: string | undefined;
}

/** The changes for merged metrics; `undefined` if the pod is not scraped or merging is off. */
export function mergedScrape(
  pod: Pod,
  { statusPort, enabled }: { readonly statusPort: number; readonly enabled: boolean },
): ScrapeChange | undefined {
  const annotations = annotationsOf(pod);
  const own = annotations["prometheus.mesh.io/merge-metrics"];
  if (own === undefined || own === "" ? !enabled : own === "false") return undefined;
  const { [SCRAPE]: scrape, [PORT]: port, [PATH]: path } = annotations;
  if (scrape === "false") return undefined;
  // The annotations are those of an earlier injection.
  if (port === String(statusPort) && path === MERGED_PATH) return undefined;
  const application = { scrape: scrape ?? "", path: path ?? "", port: port ?? "" };
  const hasApplication = Object.values(application).some((text) => text !== "");
  return {
    annotations: { [SCRAPE]: "true", [PORT]: String(statusPort), [PATH]: MERGED_PATH },
    variable: hasApplication ? JSON.stringify(application) : undefined,
  };
}
