/**
 * Indexes over the input tables.
 *
 * @module
 */
import { type Graph, type Index, text } from "../../graph/mod.ts";
import {
  type LabelKey,
  labelValueKeys,
  namespacePreference,
  nearnessOf,
  type Tables,
  workloadLabels,
} from "../inputs/mod.ts";
import { type PolicyIndexes, policyIndexes } from "./policy_indexes.ts";
import { type RouteIndexes, routeIndexes } from "./route_indexes.ts";
import { type ServiceIndexes, serviceIndexes } from "./service_indexes.ts";

/** Indexes over WorkloadEntries; members are row keys. */
export interface WorkloadIndexes {
  readonly workloadsByLabel: Index<LabelKey>;
  readonly workloadsByNamespace: Index;
  /** Those that no ServiceEntry selects are here, too. */
  readonly workloadsByAddress: Index;
}

/** All indexes. */
export interface Indexes extends ServiceIndexes, WorkloadIndexes, PolicyIndexes, RouteIndexes {
  /** `all` → row keys of Gateways. */
  readonly gateways: Index;
  /** Like `nearHosts`, with names of namespaces whose annotation has the preference. */
  readonly nearNamespaces: Index;
}

export function createIndexes(graph: Graph, tables: Tables, domain: string): Indexes {
  return {
    ...serviceIndexes(graph, tables),
    ...workloadIndexes(graph, tables),
    ...policyIndexes(graph, tables, domain),
    ...routeIndexes(graph, tables, domain),
    gateways: graph.index(
      tables.gateways,
      "Gateway.all",
      { bucket: text, member: text },
      function* (_row, key) {
        yield ["all", key];
      },
    ),
    nearNamespaces: graph.index(
      tables.namespaces,
      "Namespace.near",
      { bucket: text, member: text },
      function* (row) {
        for (const bucket of nearnessOf(namespacePreference(row))) yield [bucket, row.meta.name];
      },
    ),
  };
}

function workloadIndexes(graph: Graph, { workloadEntries: table }: Tables): WorkloadIndexes {
  return {
    workloadsByLabel: graph.index(
      table,
      "WorkloadEntry.label",
      { bucket: labelValueKeys, member: text },
      function* (row, key) {
        if (row.unselectable) return;
        const { namespace } = row.meta;
        for (const [label, value] of Object.entries(workloadLabels(row))) {
          yield [{ namespace, label, value }, key] as const;
        }
      },
    ),
    workloadsByNamespace: graph.index(table, "WorkloadEntry.namespace", {
      bucket: text,
      member: text,
    }, function* (row, key) {
      if (!row.unselectable) yield [row.meta.namespace, key];
    }),
    workloadsByAddress: graph.index(
      table,
      "WorkloadEntry.address",
      { bucket: text, member: text },
      function* (row, key) {
        yield [row.spec.address, key];
      },
    ),
  };
}
