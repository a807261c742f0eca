/**
 * The number of bins of the proxy's histograms.
 *
 * @module
 */
import type { JsonObject } from "../../kit/proto/mod.ts";
import type { Pairs } from "./pod.ts";
import { readObject, type Unread } from "./unread.ts";

const BINS = "sidecar.mesh.io/statsHistogramBins";

/**
 * Adds the bins of an annotation, a JSON object of numbers by metric prefix, to the settings of
 * histograms.
 */
export function withBins(
  settings: readonly JsonObject[],
  annotations: Pairs,
  unread: Unread,
): JsonObject[] {
  const text = annotations[BINS];
  const bins = text === undefined ? undefined : binsOf(text, unread);
  if (bins === undefined) return [...settings];
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

function binsOf(text: string, unread: Unread): Record<string, number> | undefined {
  const value = readObject(`annotation ${BINS}`, text, unread);
  if (value === undefined || isBins(value)) return value;
  unread(`annotation ${BINS}`, 'it needs numbers by metric prefix, such as {"mesh":50}');
  return undefined;
}

/** Limits of Envoy (`HistogramBucketSettings.bins`). */
const MAX_BINS = 46082;

function isBins(value: JsonObject): value is Record<string, number> {
  return Object.values(value).every((bins) =>
    typeof bins === "number" && Number.isInteger(bins) && bins > 0 && bins < MAX_BINS
  );
}
