/**
 * Policies by level: the root namespace, the workload's namespace and the workload
 * itself contribute one object each. For Telemetry and ProxyConfig.
 *
 * @module
 */
import type { Derived, Graph, Input } from "../../graph/mod.ts";
import { byAge, type ConfigObject, objectKey } from "../../model/mod.ts";
import { type Workload, workloadKeys } from "../inputs/mod.ts";
import {
  GATEWAY_NAME,
  indexSelectors,
  type Selecting,
  selecting,
  type SelectionOptions,
  selectsByLabel,
  selectsByLabels,
  targeting,
} from "./selection.ts";

/**
 * Creates the table: workload → row keys of the objects that apply to it, the least
 * specific first: the root namespace's, the namespace's, and the one that selects
 * the workload by labels or targets its Gateway. On each level the oldest applies.
 */
export function deriveLevels<T extends Selecting>(
  graph: Graph,
  table: Input<ConfigObject<T>>,
  name: string,
  options: SelectionOptions,
): Derived<readonly string[], Workload> {
  const policies = indexSelectors(graph, table);
  return graph.derive(name, workloadKeys, (read, workload): readonly string[] => {
    const root = options.rootNamespace(read);
    const rows = selecting(read, policies, workload, root);
    const all = rows.filter((row) => !selectsByLabels(row.spec));
    const gateway = workload.role === "sidecar" ? undefined : workload.labels[GATEWAY_NAME];
    const byLabels = workload.role === "sidecar" || selectsByLabel(workload, options);
    const own = [
      ...(byLabels ? rows.filter((row) => selectsByLabels(row.spec)) : []),
      ...(gateway === undefined ? [] : targeting(read, policies, {
        namespace: workload.namespace,
        by: "gateway",
        name: gateway,
      })),
    ].filter((row) => row.meta.namespace === workload.namespace);
    const levels = [
      all.filter((row) => row.meta.namespace === root),
      all.filter((row) => row.meta.namespace !== root),
      own.sort(byAge),
    ];
    return levels.flatMap(([first]) => first === undefined ? [] : [objectKey(first.meta)]);
  });
}
