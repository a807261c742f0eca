/**
 * Policies that are attached to destinations at waypoints: to a service, to the waypoint's Gateway, to its
 * class.
 *
 * @module
 */
import {
  type Derived,
  type Graph,
  type KeyCodec,
  keyOf,
  type Read,
  text,
} from "../../graph/mod.ts";
import { type ConfigObject, type ObjectKey, objectKey, objectKeys } from "../../model/mod.ts";
import {
  type PolicyTarget,
  type SelectablePolicies,
  type Selecting,
  type SelectionOptions,
  targeting,
} from "./selection.ts";

/** A destination at a waypoint, as policies are attached to it. */
export interface WaypointTarget {
  /** The Gateway of the waypoint. */
  readonly namespace: string;
  readonly gateway: string;
  readonly className: string;
  /** The object that defines the service, `Kind/namespace/name`; empty: a workload. */
  readonly object: string;
}

/** The codec of {@link WaypointTarget}. */
export const waypointTargets: KeyCodec<WaypointTarget> = keyOf<WaypointTarget>({
  namespace: text,
  gateway: text,
  className: text,
  object: text,
});

/**
 * Creates the table: a destination at a waypoint → row keys of the policies that are attached to it:
 * those of the root namespace for the class, then those for the Gateway, then those for the service.
 */
export function deriveAttached<T extends Selecting>(
  graph: Graph,
  name: string,
  policies: SelectablePolicies<T>,
  options: Pick<SelectionOptions, "rootNamespace">,
): Derived<readonly string[], WaypointTarget> {
  return graph.derive(name, waypointTargets, (read, target): readonly string[] => {
    const keys = policyTargets(target, options.rootNamespace(read))
      .flatMap((one) => targeting(read, policies, one))
      .map(({ meta }) => objectKey(meta));
    return [...new Set(keys)];
  });
}

/** The targets of policies for a destination, the least specific first. */
export function policyTargets(
  { namespace, gateway, className, object }: WaypointTarget,
  root: string,
): PolicyTarget[] {
  return [
    { namespace: root, by: "class", name: className },
    { namespace, by: "gateway", name: gateway },
    ...serviceTarget(object),
  ];
}

/** The target of policies for the object of a service; none for an empty text. */
export function serviceTarget(object: string): PolicyTarget[] {
  const [kind, namespace, name] = object.split("/");
  if (namespace === undefined || name === undefined) return [];
  return [{ namespace, by: kind === "Service" ? "service" : "entry", name }];
}

/** A service at a waypoint. */
export interface ServedObject {
  /** The object that defines it, `Kind/namespace/name`. */
  readonly object: string;
  readonly host: string;
}

/** A policy with services among its targets. */
export interface OfServices {
  /** Row key of the policy. */
  readonly key: string;
  /** Hosts of the services, sorted. */
  readonly hosts: readonly string[];
}

/**
 * Creates the table: a waypoint → the policies that are attached to services there, in their order.
 *
 * @param served a waypoint → its services; unset: there are no waypoints
 */
export function deriveOfServices<T extends Selecting>(
  graph: Graph,
  name: string,
  policies: SelectablePolicies<T>,
  served: Derived<readonly ServedObject[], ObjectKey> | undefined,
): Derived<readonly OfServices[], ObjectKey> {
  return graph.derive(name, objectKeys, (read, waypoint): readonly OfServices[] => {
    const found = new Map<string, { row: ConfigObject<T>; hosts: Set<string> }>();
    for (const { object, host } of served === undefined ? [] : read.get(served, waypoint)) {
      for (const row of rowsFor(read, policies, object)) {
        const key = objectKey(row.meta);
        const entry = found.get(key) ?? { row, hosts: new Set() };
        found.set(key, { row, hosts: entry.hosts.add(host) });
      }
    }
    return [...found].sort(([, a], [, b]) => policies.compare(a.row, b.row))
      .map(([key, { hosts }]) => ({ key, hosts: [...hosts].sort() }));
  });
}

function rowsFor<T extends Selecting>(
  read: Read,
  policies: SelectablePolicies<T>,
  object: string,
): ConfigObject<T>[] {
  return serviceTarget(object).flatMap((target) => targeting(read, policies, target));
}
