/**
 * The oldest difference between what sources have and what proxies acknowledged: a source that cannot
 * be read or has other objects than its watch reported, changes that are not published yet,
 * responses that a proxy did not acknowledge.
 *
 * @module
 */
import { gauge } from "../../kit/metrics/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";

/** A source that cannot be read, or that has other objects than its watch reported. */
export interface SourceFault {
  /** For example `services of cluster a`. */
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The states that are compared. Times are milliseconds since the epoch. */
export interface DifferenceInputs {
  readonly faults: readonly SourceFault[];
  /** When the first change of the publication in progress was seen; `undefined` without one. */
  readonly publishingSince: number | undefined;
  readonly sessions: readonly Pick<SessionInfo, "node" | "types">[];
}

/** A difference between sources and proxies. */
export interface Difference {
  readonly part: "source" | "publication" | "proxy";
  /** The source, or the proxy with the type. */
  readonly name: string;
  /** When it began, milliseconds since the epoch. */
  readonly since: number;
}

/** The oldest difference; `undefined` if all proxies have what the sources have. */
export function oldestDifference(inputs: DifferenceInputs): Difference | undefined {
  let oldest: Difference | undefined;
  for (const one of differences(inputs)) {
    if (oldest === undefined || one.since < oldest.since) oldest = one;
  }
  return oldest;
}

function* differences(
  { faults, publishingSince, sessions }: DifferenceInputs,
): Iterable<Difference> {
  for (const { source, since } of faults) yield { part: "source", name: source, since };
  if (publishingSince !== undefined) {
    yield { part: "publication", name: "changes", since: publishingSince };
  }
  for (const { node, types } of sessions) {
    for (const { short, sent, acked, nack } of types) {
      const name = `${node.name}.${node.namespace} ${short}`;
      if (nack !== undefined) yield { part: "proxy", name, since: nack.time };
      else if (sent !== undefined && acked?.nonce !== sent.nonce) {
        yield { part: "proxy", name, since: sent.time };
      }
    }
  }
}

/** Registers the metric. */
export function observeDifference(oldest: () => Difference | undefined): void {
  gauge({
    name: "mesh_oldest_difference_seconds",
    help: "Age of the oldest difference between sources and acknowledged resources; 0 without one.",
    collect: () => {
      const found = oldest();
      return found === undefined ? 0 : Math.max(0, Date.now() - found.since) / 1000;
    },
  });
}
