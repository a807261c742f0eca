/**
 * Waypoints, and the services and workloads that are bound to them: derived tables.
 *
 * @module
 */
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { type Derived, type Read, text } from "../../graph/mod.ts";
import {
  type ConfigObject,
  fullHost,
  type ObjectKey,
  objectKey,
  objectKeys,
  type ObjectMeta,
  type ServiceKey,
  serviceKeys,
} from "../../model/mod.ts";
import { type Gateway, hostsOfGateway } from "../../gateway_api/mod.ts";
import {
  type BindingLookups,
  bindToWaypoint,
  bindWaypoint,
  type Waypoint,
  type WaypointBinding,
} from "../../ambient/mod.ts";
import type { GatewayApi } from "../gateway_api/mod.ts";
import { isHeadless } from "../inputs/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { definingEntries, type Services } from "../services/mod.ts";
import type { ServedObject } from "../workloads/mod.ts";
import { type WaypointIndexes, waypointIndexes } from "./waypoint_indexes.ts";

/** Everything that binding is made from. */
export interface WaypointInputs {
  readonly mesh: MeshInputs;
  readonly services: Services;
  readonly gatewayApi: GatewayApi;
}

/** The derived tables of waypoints. */
export interface Waypoints {
  /** A Gateway → the waypoint that it is; undefined: it is none. */
  readonly waypoint: Derived<Waypoint | undefined, ObjectKey>;
  /** A service → its waypoints. */
  readonly ofService: Derived<WaypointBinding, ServiceKey>;
  /** Row key of a WorkloadEntry or pod → its waypoints. */
  readonly ofWorkload: Derived<WaypointBinding, string>;
  /** The waypoints of a workload, computed here and now; for computations that have its row. */
  readonly bindWorkload: (
    read: Read,
    meta: Pick<ObjectMeta, "namespace" | "labels" | "annotations">,
  ) => WaypointBinding;
  /** The waypoints of the service that an object defines, in the same way. */
  readonly bindService: (read: Read, row: ConfigObject<ServiceEntry>) => WaypointBinding;
  /** A waypoint → the services bound to it, sorted; as second waypoint, too. */
  readonly services: Derived<readonly ServiceKey[], ObjectKey>;
  /** The same, with the objects that define them. */
  readonly served: Derived<readonly ServedObject[], ObjectKey>;
  /** A waypoint → row keys of the workloads bound to it, sorted. */
  readonly workloads: Derived<readonly string[], ObjectKey>;
}

/** Creates the indexes and the tables. */
export function deriveWaypoints(inputs: WaypointInputs): Waypoints {
  const { mesh: { graph, tables } } = inputs;
  const waypoint: Waypoints["waypoint"] = graph.derive(
    "ambient.waypoint",
    objectKeys,
    (read, key) => waypointAt(read, inputs, key),
  );
  const bindWorkload: Waypoints["bindWorkload"] = (read, { namespace, labels, annotations }) =>
    bindToWaypoint(
      { type: "workload", namespace, labels, annotations },
      lookups(read, inputs, waypoint),
    );
  const bindService: Waypoints["bindService"] = (read, row) => {
    const { namespace, labels, annotations } = row.meta;
    const marks = { namespace, labels, annotations, isHeadless: isHeadless(row) };
    return bindToWaypoint({ type: "service", ...marks }, lookups(read, inputs, waypoint));
  };
  const ofService = graph.derive("ambient.waypoint.service", serviceKeys, (read, key) => {
    const [row] = definingEntries(read, inputs.mesh, key);
    if (row === undefined) return UNBOUND;
    return bindService(read, row);
  });
  const ofWorkload = graph.derive("ambient.waypoint.workload", text, (read, key) => {
    const row = read.get(tables.workloadEntries, key);
    return row === undefined ? UNBOUND : bindWorkload(read, row.meta);
  });
  const bound = { ofService, ofWorkload };
  const inverses = inverse(inputs, bound);
  const served: Waypoints["served"] = graph.derive(
    "ambient.waypoint.served",
    objectKeys,
    (read, key) =>
      read.get(inverses.services, key).flatMap((service) => {
        const found = read.get(inputs.services.service, service);
        return found === undefined ? [] : [{ object: found.source, host: found.host }];
      }),
  );
  return { waypoint, ...bound, bindWorkload, bindService, ...inverses, served };
}

const UNBOUND: WaypointBinding = { ingress: false };

function waypointAt(read: Read, inputs: WaypointInputs, key: ObjectKey): Waypoint | undefined {
  const { api, bound } = inputs.gatewayApi;
  const row = read.get(api.gateways, objectKey(key));
  const gateway = read.get(bound.gateways, key);
  if (row === undefined || gateway === undefined) return undefined;
  const { className } = gateway;
  return bindWaypoint(row, {
    bound: gateway,
    gatewayClass: read.get(api.gatewayClasses, objectKey({ namespace: "", name: className })),
    service: frontOf(read, inputs, row, className),
  });
}

/** The first service in front of a Gateway that the mesh has. */
function frontOf(
  read: Read,
  { mesh: { domain }, services }: WaypointInputs,
  gateway: Gateway,
  className: string,
): ServiceKey | undefined {
  const { namespace } = gateway.meta;
  for (const host of hostsOfGateway(gateway, { className, domain })) {
    const key = { namespace, host: fullHost(host, namespace, domain) };
    const found = read.get(services.resolve, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function lookups(
  read: Read,
  { mesh: { tables } }: WaypointInputs,
  waypoint: Waypoints["waypoint"],
): BindingLookups {
  const namespaceMarks = (name: string) =>
    read.get(tables.namespaces, objectKey({ namespace: "", name }))?.meta;
  return {
    namespaceMarks,
    namespaceLabels: (name) => namespaceMarks(name)?.labels,
    waypoint: (key) => read.get(waypoint, key),
  };
}

type Inverse = Pick<Waypoints, "services" | "workloads">;

function inverse(
  { mesh: { graph, tables } }: WaypointInputs,
  { ofService, ofWorkload }: Pick<Waypoints, "ofService" | "ofWorkload">,
): Inverse {
  const indexes: WaypointIndexes = waypointIndexes(graph, tables);
  return {
    services: graph.derive(
      "ambient.waypoint.services",
      objectKeys,
      (read, key): readonly ServiceKey[] => {
        const around = read.members(indexes.namespaces, key);
        const plain = around.flatMap((one) => read.members(indexes.plainServices, one));
        const named = read.members(indexes.services, key);
        const found = new Map([...named, ...plain].map((one) => [serviceKeys.encode(one), one]));
        return [...found.keys()].sort().map((one) => found.get(one)!)
          .filter((service) => isBoundTo(read.get(ofService, service), key));
      },
    ),
    workloads: graph.derive(
      "ambient.waypoint.workloads",
      objectKeys,
      (read, key): readonly string[] => {
        const around = read.members(indexes.namespaces, key);
        const plain = around.flatMap((one) => read.members(indexes.plainWorkloads, one));
        const named = read.members(indexes.workloads, key);
        return [...new Set([...named, ...plain])].sort()
          .filter((row) => isBoundTo(read.get(ofWorkload, row), key));
      },
    ),
  };
}

function isBoundTo({ waypoint, canary }: WaypointBinding, key: ObjectKey): boolean {
  return [waypoint, canary?.waypoint].some((one) =>
    one !== undefined && one.name === key.name && one.namespace === key.namespace
  );
}
