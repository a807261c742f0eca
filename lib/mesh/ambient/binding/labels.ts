/**
 * Labels with which objects and namespaces name their waypoints.
 *
 * @module
 */
import type { ObjectKey } from "../../model/mod.ts";

/** Label with the name of the waypoint of an object, or `none`. */
export const USE_WAYPOINT = "mesh.io/use-waypoint";
/** Label with the namespace of that waypoint; default: that of the object. */
const USE_WAYPOINT_NAMESPACE = "mesh.io/use-waypoint-namespace";
const CANARY = "mesh.io/use-waypoint-canary";
const CANARY_NAMESPACE = "mesh.io/use-waypoint-canary-namespace";
/** Annotation with the share of requests, in percent, that go through the second waypoint. */
export const CANARY_WEIGHT = "mesh.io/use-waypoint-canary-weight";
/** Label of services and namespaces whose waypoint counts for gateways, too. */
const INGRESS_USE_WAYPOINT = "mesh.io/ingress-use-waypoint";

type Texts = Readonly<Record<string, string>>;

/** Labels and annotations of an object. */
export interface Marks {
  readonly labels: Texts;
  readonly annotations: Texts;
}

/** The waypoints that an object names. */
export interface WaypointUse {
  readonly waypoint: ObjectKey;
  /** A second waypoint, and its share of the requests in percent. */
  readonly canary?: { readonly waypoint: ObjectKey; readonly weight: number };
}

/**
 * The waypoints that labels name; `none`: the object wants none, whatever its namespace names;
 * undefined: they say nothing.
 */
export function namedWaypoint(
  { labels, annotations }: Marks,
  namespace: string,
): WaypointUse | "none" | undefined {
  const name = labels[USE_WAYPOINT] ?? "";
  if (name === "") return undefined;
  if (name === "none") return "none";
  const waypoint = { namespace: labels[USE_WAYPOINT_NAMESPACE] || namespace, name };
  const second = labels[CANARY] ?? "";
  const weight = weightOf(annotations[CANARY_WEIGHT]);
  if (second === "" || second === "none" || weight === 0) return { waypoint };
  const canary = { namespace: labels[CANARY_NAMESPACE] || namespace, name: second };
  return { waypoint, canary: { waypoint: canary, weight } };
}

/** A share from 1 to 100; anything else is no share. */
function weightOf(text: string = ""): number {
  return /^(?:[1-9]\d?|100)$/.test(text) ? Number(text) : 0;
}

/** Every waypoint that labels name. */
export function waypointsOfUse(use: WaypointUse | "none" | undefined): ObjectKey[] {
  if (use === undefined || use === "none") return [];
  return use.canary === undefined ? [use.waypoint] : [use.waypoint, use.canary.waypoint];
}

/** If gateways send to an object through its waypoint; undefined: the labels say nothing. */
export function isThroughIngress(labels: Texts): boolean | undefined {
  const text = labels[INGRESS_USE_WAYPOINT];
  return text === undefined ? undefined : text === "true";
}
