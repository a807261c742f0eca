/**
 * Routes that are attached to listeners, and references of routes.
 *
 * @module
 */
import {
  type BackendLookups,
  backendsOf,
  type BoundParent,
  type RefFault,
  resolveBackend,
  type Route,
} from "../binding/mod.ts";
import { objectKey } from "../../model/mod.ts";
import { rowRef } from "../../graph/mod.ts";
import type { AttachedRoutes, ListenerName } from "./listeners.ts";

/** Listeners → number of the routes that are attached to them. */
export type AttachedCounts = ReadonlyMap<string, number>;

/**
 * Counts routes by the listeners that they are attached to. A route counts once at a listener, however
 * many of its references name that.
 *
 * @param routes the parents of each route
 */
export function countAttached(routes: Iterable<readonly BoundParent[]>): AttachedCounts {
  const counts = new Map<string, number>();
  for (const parents of routes) {
    for (const listener of listenersOf(parents)) {
      counts.set(listener, (counts.get(listener) ?? 0) + 1);
    }
  }
  return counts;
}

/** The sums of several counts. */
export function attachedFrom(counts: readonly AttachedCounts[]): AttachedRoutes {
  return (listener) => {
    const text = textOf(listener);
    return counts.reduce((sum, one) => sum + (one.get(text) ?? 0), 0);
  };
}

function listenersOf(parents: readonly BoundParent[]): Set<string> {
  const attachments = parents.flatMap((parent) => parent.attachments);
  return new Set(attachments.map(({ listener }) => textOf(listener)));
}

function textOf({ owner, name }: ListenerName): string {
  return `${rowRef({ table: owner.kind, key: objectKey(owner) })}#${name}`;
}

/** The first reference of a route to a backend that could not be resolved. */
export function referenceFault(route: Route, look: BackendLookups): RefFault | undefined {
  for (const { ref } of backendsOf(route)) {
    const backend = resolveBackend(ref, route, look);
    if ("fault" in backend) return backend.fault;
  }
  return undefined;
}
