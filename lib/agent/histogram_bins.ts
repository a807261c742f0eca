/**
 * The number of bins of the proxy's histograms.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { JsonObject } from "../proto/mod.ts";
import type { Pairs } from "./pod.ts";

const BINS = "sidecar.mesh.io/statsHistogramBins";

/**
 * Adds the bins of an annotation, a JSON object of numbers by metric prefix, to the settings of
 * histograms.
 *
 * @throws MeshError `agent-annotation` if the annotation is invalid
 */
export function withBins(settings: readonly JsonObject[], annotations: Pairs): JsonObject[] {
  const text = annotations[BINS];
  if (text === undefined) return [...settings];
  const bins = binsOf(text);
  const prefixOf = ({ match }: JsonObject) => (match as { readonly prefix: string }).prefix;
  const known = new Set(settings.map(prefixOf));
  return [
    ...settings.map((one) => {
      const own = bins[prefixOf(one)];
      return own === undefined ? one : { ...one, bins: own };
    }),
    ...Object.keys(bins).sort().filter((prefix) => !known.has(prefix))
      .map((prefix) => ({ match: { prefix }, bins: bins[prefix]! })),
  ];
}

function binsOf(text: string): Record<string, number> {
  try {
    const value: unknown = JSON.parse(text);
    if (isBins(value)) return value;
  } catch { /* Said below. */ }
  throw new MeshError("agent-annotation", `the annotation ${BINS} is not of its form`, {
    remedy: 'Use a JSON object of numbers by metric prefix, such as {"mesh":50}.',
  });
}

/** Limits of Envoy (`HistogramBucketSettings.bins`). */
const MAX_BINS = 46082;

function isBins(value: unknown): value is Record<string, number> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.values(value).every((bins) =>
      typeof bins === "number" && Number.isInteger(bins) && bins > 0 && bins < MAX_BINS
    );
}
