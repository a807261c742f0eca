/**
 * Conditions in the status of objects of ambient mode: the waypoint that an object is bound to, and who
 * enforces a policy.
 *
 * @module
 */
import { objectKey } from "../model/mod.ts";
import type { WaypointBinding } from "./binding/mod.ts";
import type { TranslatedPolicy } from "./policies/mod.ts";

/** Types of the conditions. */
export const WAYPOINT_BOUND = "mesh.io/WaypointBound";
export const ZTUNNEL_ACCEPTED = "ZtunnelAccepted";
export const WAYPOINT_ACCEPTED = "WaypointAccepted";

/** A condition without its time. */
export interface AmbientCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The status of an object: conditions of ambient mode alone. */
export interface AmbientStatus {
  readonly conditions: readonly AmbientCondition[];
}

function condition(
  type: string,
  isTrue: boolean,
  reason: string,
  message: string,
): AmbientCondition {
  return { type, status: isTrue ? "True" : "False", reason, message };
}

/** The conditions of a Service, ServiceEntry or WorkloadEntry; none if no waypoint is named. */
export function bindingConditions(
  { waypoint, fault, canaryFault, ingress }: WaypointBinding,
): readonly AmbientCondition[] {
  if (waypoint === undefined) {
    return fault === undefined
      ? []
      : [condition(WAYPOINT_BOUND, false, fault.reason, fault.message)];
  }
  const through = ingress ? "; gateways send through it, too" : "";
  const second = canaryFault === undefined
    ? ""
    : `; the second waypoint is not used: ${canaryFault.message}`;
  const message = `bound to waypoint "${objectKey(waypoint)}"${through}${second}`;
  return [condition(WAYPOINT_BOUND, true, "WaypointAccepted", message)];
}

/** The condition of a policy that node proxies enforce. */
export function nodeProxyCondition({ fault }: TranslatedPolicy): AmbientCondition {
  return fault === undefined
    ? condition(ZTUNNEL_ACCEPTED, true, "Accepted", "node proxies enforce it")
    : condition(ZTUNNEL_ACCEPTED, false, "UnsupportedValue", fault);
}

/** The state of a target of a policy; `none`: no matter of waypoints. */
export type TargetFate = "bound" | "unbound" | "missing" | "invalid" | "none";

/** A target of a policy, as messages name it. */
export interface PolicyTarget {
  readonly name: string;
  readonly fate: TargetFate;
}

const FATES = {
  unbound: ["AncestorNotBound", "has no waypoint that serves it"],
  missing: ["TargetNotFound", "does not exist"],
  invalid: ["Invalid", "is not supported here"],
} as const;

/** The condition of a policy with targets; undefined: none of them is a matter of waypoints. */
export function waypointCondition(targets: readonly PolicyTarget[]): AmbientCondition | undefined {
  const concerned = targets.filter(({ fate }) => fate !== "none");
  if (concerned.length === 0) return undefined;
  const bound = concerned.filter(({ fate }) => fate === "bound").map(({ name }) => name);
  const faults = concerned.flatMap(({ name, fate }) =>
    fate === "bound" || fate === "none"
      ? []
      : [{ reason: FATES[fate][0], text: `${name} ${FATES[fate][1]}` }]
  );
  const said = faults.map(({ text }) => text).join("; ");
  if (faults.length === 0) {
    const message = `waypoints enforce it for ${bound.join(", ")}`;
    return condition(WAYPOINT_ACCEPTED, true, "Accepted", message);
  }
  if (bound.length > 0) return condition(WAYPOINT_ACCEPTED, true, "PartiallyInvalid", said);
  return condition(WAYPOINT_ACCEPTED, false, faults[0]!.reason, said);
}
