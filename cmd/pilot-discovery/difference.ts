/**
 * The oldest difference between sources and proxies, in a running daemon.
 *
 * @module
 */
import {
  type Difference,
  oldestDifference,
  type SourceFault,
} from "../../lib/insight/monitor/mod.ts";
import type { XdsServer } from "../../lib/mesh/xds/mod.ts";
import type { Engine } from "./engine.ts";
import type { Sources } from "./sources.ts";

export function differenceNow(
  { ingest }: Pick<Engine, "ingest">,
  sources: Pick<Sources, "orchestrator" | "clusters">,
  xds: Pick<XdsServer, "sessions">,
): Difference | undefined {
  const { publishingSince } = ingest;
  return oldestDifference({
    faults: faultsOf(sources),
    publishingSince: publishingSince && Date.now() - (performance.now() - publishingSince),
    sessions: xds.sessions(),
  });
}

function faultsOf({ orchestrator, clusters }: Pick<Sources, "orchestrator" | "clusters">) {
  const followed = [
    ...(orchestrator?.resources() ?? []).map((one) => ({
      ...one,
      cluster: "the daemon's cluster",
    })),
    ...(clusters?.clusters() ?? []).flatMap(({ cluster, resources }) =>
      resources.map((one) => ({ ...one, cluster: `the cluster ${cluster}` }))
    ),
  ];
  return followed.flatMap(({ resource, cluster, faultSince, differentSince }): SourceFault[] => {
    const since = faultSince ?? differentSince;
    return since === undefined ? [] : [{ source: `${resource} of ${cluster}`, since }];
  });
}
