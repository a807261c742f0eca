/**
 * Policies by level: the root namespace, the class of a waypoint, the workload's namespace, the workload
 * itself, and a service at a waypoint contribute one object each. For Telemetry and ProxyConfig.
 *
 * @module
 */
import { type Derived, type Graph, text } from "../../graph/mod.ts";
import { byAge, objectKey } from "../../model/mod.ts";
import { type Workload, workloadKeys } from "../inputs/mod.ts";
import { serviceTarget } from "./attached.ts";
import {
  gatewayTargets,
  type PolicyTarget,
  type SelectablePolicies,
  type Selecting,
  selecting,
  type SelectionOptions,
  selectsByLabel,
  selectsByLabels,
  targeting,
} from "./selection.ts";

/**
 * Creates the table: workload → row keys of the objects that apply to it, the least
 * specific first: the root namespace's, the one that targets the class of a waypoint, the namespace's,
 * and the one that selects the workload by labels or targets its Gateway. On each level the oldest
 * applies.
 */
export function deriveLevels<T extends Selecting>(
  graph: Graph,
  { name, policies }: { readonly name: string; readonly policies: SelectablePolicies<T> },
  options: SelectionOptions,
): Derived<readonly string[], Workload> {
  return graph.derive(name, workloadKeys, (read, workload): readonly string[] => {
    const root = options.rootNamespace(read);
    const rows = selecting(read, policies, workload, root);
    const all = rows.filter((row) => !selectsByLabels(row.spec));
    const byLabels = workload.role === "sidecar" || selectsByLabel(workload, options);
    const targets = gatewayTargets(read, workload, options);
    const named = (by: PolicyTarget["by"]) =>
      targets.filter((target) => target.by === by)
        .flatMap((target) => targeting(read, policies, target));
    const own = [
      ...(byLabels ? rows.filter((row) => selectsByLabels(row.spec)) : []),
      ...named("gateway"),
    ].filter((row) => row.meta.namespace === workload.namespace);
    const levels = [
      all.filter((row) => row.meta.namespace === root),
      named("class"),
      all.filter((row) => row.meta.namespace !== root),
      own.sort(byAge),
    ];
    return levels.flatMap(([first]) => first === undefined ? [] : [objectKey(first.meta)]);
  });
}

/**
 * Creates the table: the object of a service, `Kind/namespace/name` → the row key of the oldest object
 * that targets it at waypoints, if there is one.
 */
export function deriveLevelOfService<T extends Selecting>(
  graph: Graph,
  { name, policies }: { readonly name: string; readonly policies: SelectablePolicies<T> },
): Derived<readonly string[], string> {
  return graph.derive(
    name,
    text,
    (read, object): readonly string[] =>
      serviceTarget(object).flatMap((target) => targeting(read, policies, target))
        .map(({ meta }) => objectKey(meta)).slice(0, 1),
  );
}
