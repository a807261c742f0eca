/**
 * Verdicts: the outcome of a request in short.
 *
 * @module
 */
import { parseClusterName } from "../../mesh/envoy/mod.ts";
import type { Explanation } from "./explain.ts";

/** The outcome of a request in short. */
export interface Verdict {
  /** `split`: outcomes differ, each with its share. */
  readonly outcome: "allowed" | "denied" | "unknown" | "split";
  /** HTTP statuses of proxies that answer. */
  readonly statuses: readonly number[];
  /** Outbound clusters of the first proxy: `outbound|80|v2|reviews.example`. */
  readonly clusters: readonly string[];
  /** Objects that refuse. */
  readonly by: readonly string[];
  /** The outcomes as sentences. */
  readonly text: string;
}

export function verdictOf({ hops, outcomes }: Explanation): Verdict {
  const kinds = new Set(
    outcomes.map(({ kind }) =>
      kind === "refused" ? "denied" : kind === "unknown" ? "unknown" : "allowed"
    ),
  );
  const [only] = kinds;
  const clusters = (hops[0]?.steps ?? [])
    .filter(({ step, name }) => step === "cluster" && name.startsWith("outbound|"))
    .map(({ name }) => name);
  return {
    outcome: kinds.size === 1 ? only! : "split",
    statuses: [...new Set(outcomes.flatMap(({ status }) => status ?? []))],
    clusters: [...new Set(clusters)].sort(),
    by: [
      ...new Set(
        outcomes.flatMap(({ refusal }) =>
          refusal?.causes.flatMap(({ object }) => object ?? []) ?? []
        ),
      ),
    ],
    text: outcomes.map(({ share, text }) =>
      share === 1 ? text : `${Math.round(share * 100)} % ${text}`
    )
      .join("; "),
  };
}

/** The last line of an explanation: `ALLOWED to v2` or `DENIED by …`. */
export function verdictLine({ outcome, clusters, by, text }: Verdict): string {
  switch (outcome) {
    case "allowed":
      return `ALLOWED${
        clusters.length === 0 ? "" : ` to ${clusters.map(destinationOf).join(" or ")}`
      }: ${text}`;
    case "denied":
      return `DENIED${by.length === 0 ? "" : ` by ${by.join(", ")}`}: ${text}`;
    case "split":
      return `SPLIT: ${text}`;
    case "unknown":
      return `UNKNOWN: ${text}`;
  }
}

/** `reviews.example:80 subset v2` of a cluster. */
function destinationOf(cluster: string): string {
  const parts = parseClusterName(cluster);
  if (parts === undefined) return cluster;
  const { host, port, subset } = parts;
  return `${host}:${port}${subset === "" ? "" : ` subset ${subset}`}`;
}
