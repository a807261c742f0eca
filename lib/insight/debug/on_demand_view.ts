/**
 * Names that proxies with configuration on demand asked for, by workload class.
 *
 * @module
 */
import { parseClusterName, XDS_TYPES } from "../../mesh/model/mod.ts";
import { workloadClasses } from "../../mesh/translate/mod.ts";
import type { LearnedReport } from "../../mesh/xds/mod.ts";
import type { DebugInputs } from "./inputs.ts";

/** A name that proxies of a workload class asked for. */
export interface AskedView {
  /** `host` or `cluster`. */
  readonly kind: "host" | "cluster";
  /** `table/authority`, or the name of the cluster. */
  readonly name: string;
  /** The host that has it; empty: none, so that the outbound traffic policy decides. */
  readonly host: string;
  readonly askedAt: string;
  /** Connected proxies that asked for it, and those that were sent it. */
  readonly askers: number;
  readonly holders: number;
}

/** A workload class, with the names that its proxies asked for. */
export interface ScopeView {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly names: readonly AskedView[];
}

/** All workload classes. */
export function scopesOf(
  { learned, hostAsked }: Pick<DebugInputs, "learned" | "hostAsked">,
): ScopeView[] {
  const byWorkload = new Map<string, LearnedReport[]>();
  for (const one of learned()) {
    byWorkload.set(one.workload, [...byWorkload.get(one.workload) ?? [], one]);
  }
  return [...byWorkload].map(([workload, names]) => ({
    ...workloadClasses.decode(workload),
    names: names.map(({ typeUrl, name, askedAt, askers, holders }): AskedView => {
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

/** A Sidecar that imports what a workload class uses. */
export function sidecarOf({ namespace, labels, names }: ScopeView, index: number): unknown {
  const hosts = [...new Set(names.map(({ host }) => host).filter((host) => host !== ""))].sort();
  return {
    apiVersion: "networking.mesh.io/v1",
    kind: "Sidecar",
    metadata: { name: `learned-${index + 1}`, namespace },
    spec: {
      ...Object.keys(labels).length > 0 && { workloadSelector: { labels } },
      // Without hosts a Sidecar would import everything.
      egress: [{ hosts: hosts.length === 0 ? ["~/*"] : hosts.map((host) => `*/${host}`) }],
    },
  };
}
