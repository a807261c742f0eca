/**
 * The status of listeners.
 *
 * @module
 */
import { type BoundListener, GATEWAY_GROUP, type RefFault } from "../binding/mod.ts";
import { type Condition, conditionsAt } from "./condition.ts";

/** Names of a listener among all of its Gateway. */
export type ListenerName = Pick<BoundListener, "owner"> & { readonly name: string };

/** Number of the routes that are attached to a listener. */
export type AttachedRoutes = (listener: ListenerName) => number;

/** An entry of `status.listeners`. */
export interface ListenerStatus {
  readonly name: string;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly attachedRoutes: number;
  readonly conditions: readonly Condition[];
}

/** The status of a listener of an object of that generation. */
export function listenerStatus(
  listener: BoundListener,
  generation: number,
  attached: AttachedRoutes,
): ListenerStatus {
  const { spec: { name }, owner, kinds } = listener;
  return {
    name,
    supportedKinds: kinds.map((kind) => ({ group: GATEWAY_GROUP, kind })),
    attachedRoutes: attached({ owner, name }),
    conditions: conditionsOf(listener, generation),
  };
}

function conditionsOf(listener: BoundListener, generation: number): Condition[] {
  const { conflict, rejected, unresolved, overlaps, programmed } = listener;
  const make = conditionsAt(generation);
  const fault: RefFault | undefined = rejected ?? conflict;
  return [
    make.unless(fault, "Accepted", "the listener is valid"),
    conflict === undefined
      ? make.no("Conflicted", { reason: "NoConflicts", message: "no other listener conflicts" })
      : make.yes("Conflicted", conflict.message, conflict.reason),
    programmed ? make.yes("Programmed", "proxies are given the listener") : make.no("Programmed", {
      reason: conflict?.reason ?? "Invalid",
      message: (fault ?? unresolved)?.message ?? "the listener is not valid",
    }),
    make.unless(unresolved, "ResolvedRefs", "all references are resolved"),
    ...overlaps ? [overlap(listener, generation)] : [],
  ];
}

function overlap({ spec: { port } }: BoundListener, generation: number): Condition {
  const message =
    `other listeners of HTTPS at port ${port} have hostnames that overlap; a client ` +
    "that reuses a connection for another hostname is answered with 421";
  return conditionsAt(generation).yes("OverlappingTLSConfig", message, "OverlappingHostnames");
}
