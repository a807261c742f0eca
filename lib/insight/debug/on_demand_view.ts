/**
 * Names that proxies with configuration on demand asked for, by workload class.
 *
 * @module
 */
import { parseClusterName, XDS_TYPES } from "../../mesh/model/mod.ts";
import { workloadClasses } from "../../mesh/translate/mod.ts";
import type { LearnedReport } from "../../mesh/xds/mod.ts";
import type { AskedName, Scope } from "../learned_scopes/mod.ts";
import type { DebugInputs } from "./inputs.ts";

/** All workload classes. */
export function scopesOf(
  { learned, hostAsked }: Pick<DebugInputs, "learned" | "hostAsked">,
): Scope[] {
  const byWorkload = new Map<string, LearnedReport[]>();
  for (const one of learned()) {
    byWorkload.set(one.workload, [...byWorkload.get(one.workload) ?? [], one]);
  }
  return [...byWorkload].map(([workload, names]) => ({
    ...workloadClasses.decode(workload),
    names: names.map(({ typeUrl, name, askedAt, askers, holders }): AskedName => {
      const isHost = typeUrl === XDS_TYPES.virtualHost.url;
      return {
        kind: isHost ? "host" : "cluster",
        name,
        host: isHost ? hostAsked(workload, name) : parseClusterName(name)?.host ?? "",
        askedAt: new Date(askedAt).toISOString(),
        askers,
        holders,
      };
    }),
  }));
}
