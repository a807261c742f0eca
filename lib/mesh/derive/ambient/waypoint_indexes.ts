/**
 * Indexes over the names of waypoints in labels.
 *
 * @module
 */
import { type Graph, type Index, text } from "../../graph/mod.ts";
import { type ObjectKey, objectKeys, type ServiceKey, serviceKeys } from "../../model/mod.ts";
import { namedWaypoint, waypointsOfUse } from "../../ambient/mod.ts";
import type { Tables } from "../inputs/mod.ts";

/** Indexes over objects that name waypoints, and over those that leave it to their namespace. */
export interface WaypointIndexes {
  /** A waypoint → namespaces that name it. */
  readonly namespaces: Index<ObjectKey>;
  /** A waypoint → services that name it. */
  readonly services: Index<ObjectKey, ServiceKey>;
  /** Namespace → services there that name none. */
  readonly plainServices: Index<string, ServiceKey>;
  /** A waypoint → row keys of workloads that name it. */
  readonly workloads: Index<ObjectKey>;
  /** Namespace → row keys of workloads there that name none. */
  readonly plainWorkloads: Index;
}

export function waypointIndexes(graph: Graph, tables: Tables): WaypointIndexes {
  return { ...ofNamespaces(graph, tables), ...ofServices(graph, tables), ...ofRows(graph, tables) };
}

function ofNamespaces(graph: Graph, { namespaces }: Tables): Pick<WaypointIndexes, "namespaces"> {
  return {
    namespaces: graph.index(
      namespaces,
      "Namespace.waypoint",
      { bucket: objectKeys, member: text },
      function* ({ meta }) {
        for (const key of waypointsOfUse(namedWaypoint(meta, meta.name))) yield [key, meta.name];
      },
    ),
  };
}

function ofServices(
  graph: Graph,
  { serviceEntries }: Tables,
): Pick<WaypointIndexes, "services" | "plainServices"> {
  return {
    services: graph.index(
      serviceEntries,
      "ServiceEntry.waypoint",
      { bucket: objectKeys, member: serviceKeys },
      function* ({ meta, spec }) {
        for (const key of waypointsOfUse(namedWaypoint(meta, meta.namespace))) {
          for (const host of spec.hosts) {
            yield [key, { namespace: meta.namespace, host: host.toLowerCase() }];
          }
        }
      },
    ),
    plainServices: graph.index(
      serviceEntries,
      "ServiceEntry.withoutWaypoint",
      { bucket: text, member: serviceKeys },
      function* ({ meta, spec }) {
        if (namedWaypoint(meta, meta.namespace) !== undefined) return;
        for (const host of spec.hosts) {
          yield [meta.namespace, { namespace: meta.namespace, host: host.toLowerCase() }];
        }
      },
    ),
  };
}

function ofRows(
  graph: Graph,
  { workloadEntries }: Tables,
): Pick<WaypointIndexes, "workloads" | "plainWorkloads"> {
  return {
    workloads: graph.index(
      workloadEntries,
      "WorkloadEntry.waypoint",
      { bucket: objectKeys, member: text },
      function* ({ meta }, row) {
        for (const key of waypointsOfUse(namedWaypoint(meta, meta.namespace))) yield [key, row];
      },
    ),
    plainWorkloads: graph.index(
      workloadEntries,
      "WorkloadEntry.withoutWaypoint",
      { bucket: text, member: text },
      function* ({ meta }, row) {
        if (namedWaypoint(meta, meta.namespace) === undefined) yield [meta.namespace, row];
      },
    ),
  };
}
