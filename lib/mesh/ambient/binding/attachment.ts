/**
 * The waypoint of a service or a workload: named by the object itself, else by its namespace.
 *
 * @module
 */
import { type ObjectKey, objectKey } from "../../model/mod.ts";
import { allowsNamespace, type NamespaceLookup } from "../../gateway_api/mod.ts";
import {
  isThroughIngress,
  type Marks,
  namedWaypoint,
  USE_WAYPOINT,
  type WaypointUse,
} from "./labels.ts";
import { isWaypointProxy, type Waypoint } from "./waypoints.ts";

/** An object that may have a waypoint. */
export interface Attachable extends Marks {
  readonly type: "service" | "workload";
  readonly namespace: string;
  /** True for a service without an address: clients connect to its workloads, past its waypoint. */
  readonly isHeadless?: boolean;
}

/** Questions of binding about the mesh; see `lib/mesh/gateway_api/binding/lookups.ts`. */
export interface BindingLookups extends NamespaceLookup {
  /** Labels and annotations of a namespace; undefined: it is not known. */
  namespaceMarks(name: string): Marks | undefined;
  waypoint(key: ObjectKey): Waypoint | undefined;
}

/** The reason why a waypoint that was named is not used. Traffic then goes on without it. */
export interface BindingFault {
  readonly reason:
    | "WaypointMissing"
    | "WaypointNotReady"
    | "WaypointAttachmentDenied"
    | "WaypointTrafficTypeUnsupported"
    | "ServiceWithoutAddress";
  readonly message: string;
}

/** The waypoints of an object. */
export interface WaypointBinding {
  /** Unset: none is named, or `fault` says why it is not used. */
  readonly waypoint?: Waypoint;
  /** A second waypoint, with its share of the requests in percent. */
  readonly canary?: { readonly waypoint: Waypoint; readonly weight: number };
  readonly fault?: BindingFault;
  /** The reason why a second waypoint that was named is not used. */
  readonly canaryFault?: BindingFault;
  /** The place of the name: the labels of the object, or those of its namespace. */
  readonly namedBy?: "object" | "namespace";
  /** True if gateways send through the waypoint, too. */
  readonly ingress: boolean;
}

/** The waypoints of an object. */
export function bindToWaypoint(object: Attachable, look: BindingLookups): WaypointBinding {
  const { namespace, labels } = object;
  if (isWaypointProxy(labels)) return { ingress: false };
  const own = namedWaypoint(object, namespace);
  if (own === "none") return { ingress: false };
  const around = look.namespaceMarks(namespace);
  const ingress = isThroughIngress(labels) ?? isThroughIngress(around?.labels ?? {}) ?? false;
  const use = own ?? (around && namedWaypoint(around, namespace));
  if (use === undefined || use === "none") return { ingress };
  return { ...attached(use, object, look), namedBy: own ? "object" : "namespace", ingress };
}

function attached(
  { waypoint: key, canary }: WaypointUse,
  object: Attachable,
  look: BindingLookups,
): Omit<WaypointBinding, "ingress"> {
  const waypoint = attach(key, object, look);
  if ("reason" in waypoint) return { fault: waypoint };
  if (canary === undefined) return { waypoint };
  const second = attach(canary.waypoint, object, look);
  if ("reason" in second) return { waypoint, canaryFault: second };
  return { waypoint, canary: { waypoint: second, weight: canary.weight } };
}

function attach(
  key: ObjectKey,
  { type, namespace, isHeadless }: Attachable,
  look: BindingLookups,
): Waypoint | BindingFault {
  const at = `waypoint "${objectKey(key)}"`;
  const found = look.waypoint(key);
  if (found === undefined) {
    const message = `${at} does not exist; create it, or change the label ${USE_WAYPOINT}`;
    return { reason: "WaypointMissing", message };
  }
  if (!allowsNamespace(found.allowed, "Same", { namespace, own: key.namespace }, look)) {
    const message = `${at} allows no objects of namespace "${namespace}" in allowedRoutes of its ` +
      "listener";
    return { reason: "WaypointAttachmentDenied", message };
  }
  if (found.traffic !== "all" && found.traffic !== type) {
    const message =
      `${at} serves ${found.traffic}, not ${type}; see its label mesh.io/waypoint-for`;
    return { reason: "WaypointTrafficTypeUnsupported", message };
  }
  if (isHeadless === true) {
    const message =
      `${at} serves addresses of services, and this service has none; bind its workloads, ` +
      "or give it an address";
    return { reason: "ServiceWithoutAddress", message };
  }
  if (found.service === undefined) {
    return { reason: "WaypointNotReady", message: `${at} has no Service yet` };
  }
  return found;
}
