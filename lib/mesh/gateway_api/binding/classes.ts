/**
 * The classes of Gateways that Mesh handles.
 *
 * @module
 */
import type { GatewayClass } from "./objects.ts";

/** Name of the controller of gateways, in GatewayClasses and in the status of routes. */
export const GATEWAY_CONTROLLER = "mesh.io/gateway-controller";
/** Name of the controller of gateways of other control planes. */
export const REMOTE_CONTROLLER = "mesh.io/unmanaged-gateway";
/** Name of the controller of waypoints. */
export const WAYPOINT_CONTROLLER = "mesh.io/mesh-controller";
/** Name of the controller of gateways between networks. */
export const EAST_WEST_CONTROLLER = "mesh.io/eastwest-controller";

/** The role of a class: proxies of Mesh, addresses elsewhere, waypoints, or tunnels between networks. */
export type ClassRole = "gateway" | "remote" | "waypoint" | "east-west";

const ROLES: Readonly<Record<string, ClassRole>> = {
  [GATEWAY_CONTROLLER]: "gateway",
  [REMOTE_CONTROLLER]: "remote",
  [WAYPOINT_CONTROLLER]: "waypoint",
  [EAST_WEST_CONTROLLER]: "east-west",
};

/** The class of gateways between networks. */
export const EAST_WEST_CLASS = "mesh-east-west";

/** Classes that need no GatewayClass object. */
export const BUILT_IN_CLASSES: Readonly<Record<string, ClassRole>> = {
  mesh: "gateway",
  "mesh-remote": "remote",
  "mesh-waypoint": "waypoint",
  [EAST_WEST_CLASS]: "east-west",
};

/** The names that a daemon goes by. */
export interface ClassNames {
  /** Name of the controller of gateways; default: `GATEWAY_CONTROLLER`. */
  readonly controller?: string;
  /** Name of the class of gateways that needs no object; default: `mesh`. */
  readonly defaultClass?: string;
}

/** The role of a controller; undefined: it is not of Mesh. */
export function roleOfController(
  name: string,
  { controller = GATEWAY_CONTROLLER }: ClassNames = {},
): ClassRole | undefined {
  if (name === controller) return "gateway";
  if (name === GATEWAY_CONTROLLER) return undefined;
  return Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
}

/** The role of a class by name, given its object; undefined: another controller handles it. */
export function roleOfClass(
  name: string,
  found: GatewayClass | undefined,
  names: ClassNames = {},
): ClassRole | undefined {
  if (found !== undefined) return roleOfController(found.spec.controllerName, names);
  if (name === names.defaultClass) return "gateway";
  return Object.hasOwn(BUILT_IN_CLASSES, name) ? BUILT_IN_CLASSES[name] : undefined;
}
