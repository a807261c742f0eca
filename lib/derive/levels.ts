/**
 * Which objects of a kind of which each level gives one apply to a workload: Telemetry resources,
 * settings of proxies.
 *
 * @module
 */
import type { Derived, Graph, Input } from "../graph/mod.ts";
import { type ConfigObject, objectKey } from "../model/mod.ts";
import {
  attached,
  choosers,
  type Choosing,
  chosen,
  GATEWAY_NAME,
  parseWorkload,
  type SecurityOptions,
  selects,
} from "./security.ts";
import { byAge } from "./services.ts";

/** Joins keys of objects, and stands in none of them. */
export const LEVEL_JOINT = "+";

/**
 * Creates the table: a workload (see `workloadKey`) → keys of the objects that
 * apply to it, joined by {@link LEVEL_JOINT}, the least specific first: the
 * root namespace's, the workload's namespace's, the one that chooses the workload
 * by labels or by its Gateway. Of each level the oldest counts. `""` for none.
 */
export function deriveLevels<T extends Choosing>(
  graph: Graph,
  table: Input<ConfigObject<T>>,
  name: string,
  options: SecurityOptions,
): Derived<string> {
  const index = choosers(graph, table, table.name);
  return graph.derive<string>(name, (read, key) => {
    const workload = parseWorkload(key);
    const root = options.rootNamespace(read);
    const rows = chosen(read, table, index, workload, root);
    const all = rows.filter((row) => !selects(row.spec));
    const gateway = workload.role === "router" ? workload.labels[GATEWAY_NAME] : undefined;
    const bySelector = gateway === undefined || options.selectorsForApiGateways;
    const own = [
      ...(bySelector ? rows.filter((row) => selects(row.spec)) : []),
      ...(gateway === undefined
        ? []
        : attached(read, table, index, workload.namespace, gateway, byAge)),
    ].filter((row) => row.meta.namespace === workload.namespace);
    const levels = [
      all.filter((row) => row.meta.namespace === root),
      all.filter((row) => row.meta.namespace !== root),
      own.sort(byAge),
    ];
    return levels.flatMap(([first]) => first === undefined ? [] : [objectKey(first.meta)])
      .join(LEVEL_JOINT);
  });
}
