/**
 * Verdicts: the outcome of a request in short.
 *
 * @module
 */
import { parseClusterName } from "../../mesh/model/mod.ts";
import type { Doubt, Explanation } from "./explanation.ts";

/** The outcome of a request in short. */
export interface Verdict {
  /**
   * `allowed`: all of the calls reach a workload, or are answered without an error; `denied`: some or
   * all are refused; `unknown`: something that is not known could change this.
   */
  readonly outcome: "allowed" | "denied" | "unknown";
  /** Share of the calls that are refused: 0 to 1. */
  readonly deniedShare: number;
  /** HTTP statuses of proxies that answer. */
  readonly statuses: readonly number[];
  /** Outbound clusters of the first proxy: `outbound|80|v2|reviews.example`. */
  readonly clusters: readonly string[];
  /** Objects that refuse: without each of them the outcome would differ. */
  readonly by: readonly string[];
  /** Unknown facts; not empty for the outcome `unknown`. */
  readonly doubts: readonly Doubt[];
  /** The outcomes as sentences. */
  readonly text: string;
}

/** Returns the outcome of an explained request. */
export function verdictOf(explanation: Explanation): Verdict {
  const { hops, outcomes } = explanation;
  const doubts = doubtsOf(explanation);
  const clusters = (hops[0]?.steps ?? [])
    .filter(({ step, name }) => step === "cluster" && name.startsWith("outbound|"))
    .map(({ name }) => name);
  const refused = outcomes.filter(({ kind }) => kind === "refused");
  return {
    outcome: doubts.length > 0 ? "unknown" : refused.length > 0 ? "denied" : "allowed",
    deniedShare: refused.length === outcomes.length
      ? 1
      : refused.reduce((sum, { share }) => sum + share, 0),
    statuses: [...new Set(outcomes.flatMap(({ status }) => status ?? []))],
    clusters: [...new Set(clusters)].sort(),
    by: [
      ...new Set(
        outcomes.flatMap(({ refusal }) =>
          refusal?.causes.flatMap(({ object }) => object ?? []) ?? []
        ),
      ),
    ],
    doubts,
    text: outcomes.map(({ share, text }) =>
      share === 1 ? text : `${Math.round(share * 1000) / 10} % ${text}`
    ).join("; "),
  };
}

/** Everything that is not known and could change the outcome. */
function doubtsOf({ doubts, unmodelled }: Explanation): Doubt[] {
  return [
    ...doubts,
    ...unmodelled.map((one): Doubt => ({
      what: `not modelled: ${one}`,
      remedy: "Send the request, and look at the access log of the proxy.",
    })),
  ];
}

/** The last line of an explanation: `ALLOWED to v2`, `DENIED by …` or `UNKNOWN: …`. */
export function verdictLine(verdict: Verdict): string {
  const { outcome, clusters, by, text, deniedShare, doubts } = verdict;
  switch (outcome) {
    case "allowed":
      return `ALLOWED${
        clusters.length === 0 ? "" : ` to ${clusters.map(destinationOf).join(" or ")}`
      }: ${text}`;
    case "denied": {
      const part = deniedShare === 1 ? "" : ` in part (${Math.round(deniedShare * 1000) / 10} %)`;
      return `DENIED${part}${by.length === 0 ? "" : ` by ${by.join(", ")}`}: ${text}`;
    }
    case "unknown":
      return `UNKNOWN: ${doubts.map(doubtText).join("; ")}`;
  }
}

/** A doubt as text, with its remedy. */
export function doubtText({ what, remedy }: Doubt): string {
  return remedy === undefined ? what : `${what}. ${remedy}`;
}

/** `reviews.example:80 subset v2` of a cluster. */
function destinationOf(cluster: string): string {
  const parts = parseClusterName(cluster);
  if (parts === undefined) return cluster;
  const { host, port, subset } = parts;
  return `${host}:${port}${subset === "" ? "" : ` subset ${subset}`}`;
}
