/**
 * The text that a scraper reads.
 *
 * @module
 */
import type prom from "prom-client";
import { registry } from "./registry.ts";

/** A response body and its media type. */
export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

const OPEN_METRICS = "application/openmetrics-text";
const OPEN_METRICS_TYPE = `${OPEN_METRICS}; version=1.0.0; charset=utf-8`;

/**
 * All metrics of this process: in OpenMetrics 1.0.0 if the request header `accept` does not prefer
 * another format, else in the text format 0.0.4.
 */
export async function expose(accept?: string | null): Promise<Exposition> {
  if (prefersOpenMetrics(accept ?? "")) {
    const families = await registry.getMetricsAsJSON() as unknown as Family[];
    return { contentType: OPEN_METRICS_TYPE, body: openMetrics(families) };
  }
  return { contentType: registry.contentType, body: await registry.metrics() };
}

/** Compares the weights of the two formats; wildcards count for the older one. */
export function prefersOpenMetrics(accept: string): boolean {
  let open = 0;
  let plain = 0;
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = q === undefined ? 1 : Number(q.slice(2)) || 0;
    if (type === OPEN_METRICS) open = Math.max(open, weight);
    else if (type === "text/plain") plain = Math.max(plain, weight);
  }
  return open > 0 && open >= plain;
}

/** A metric in the registry's JSON form; parts of histograms have names of their own. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: prom.MetricType | "counter" | "gauge" | "histogram" | "summary";
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
}

/**
 * OpenMetrics requires counter samples to end in `_total`. Renamed counters would break queries, so
 * counters with other names are exported with the type `unknown`.
 */
function openMetrics(families: readonly Family[]): string {
  const lines: string[] = [];
  for (const family of families) {
    const isTotal = String(family.type) === "counter" && family.name.endsWith("_total");
    const name = isTotal ? family.name.slice(0, -"_total".length) : family.name;
    const type = String(family.type) === "counter" && !isTotal ? "unknown" : String(family.type);
    lines.push(`# HELP ${name} ${escapeHelp(family.help)}`, `# TYPE ${name} ${type}`);
    for (const { value, labels, metricName = family.name } of family.values) {
      lines.push(`${metricName}${labelText(labels)} ${numberText(value)}`);
    }
  }
  return `${lines.join("\n")}\n# EOF\n`;
}

function labelText(labels: Readonly<Record<string, string | number>>): string {
  const parts = Object.entries(labels).map(([name, value]) => {
    const text = name === "le" ? bound(value) : String(value);
    return `${name}="${escapeHelp(text).replaceAll('"', '\\"')}"`;
  });
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

/** Bucket bounds are floating-point numbers in OpenMetrics: `1.0`, not `1`. */
function bound(value: string | number): string {
  return Number.isInteger(Number(value)) ? Number(value).toFixed(1) : String(value);
}

function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  return Number.isNaN(value) ? "NaN" : String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
