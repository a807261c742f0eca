/**
 * The GatewayClasses of the mesh.
 *
 * @module
 */
import {
  createObject,
  isConflict,
  type OrchClient,
  type OrchObject,
} from "../../../kit/orch/mod.ts";
import { GATEWAY_CLASS, type GatewayClassItem } from "./types.ts";

/** The class of gateways of other clusters, which nobody deploys here. */
const REMOTE = { name: "mesh-remote", controllerName: "mesh.io/unmanaged-gateway" };
/** Controller of the class of waypoints. */
export const WAYPOINT_CONTROLLER = "mesh.io/mesh-controller";
const WAYPOINT = { name: "mesh-waypoint", controllerName: WAYPOINT_CONTROLLER };
/** Controller of the class of gateways between networks. */
export const EAST_WEST_CONTROLLER = "mesh.io/eastwest-controller";
const EAST_WEST = { name: "mesh-east-west", controllerName: EAST_WEST_CONTROLLER };

/** Names of the class whose Gateways are deployed. */
export interface ClassNames {
  /** Name of the default class. */
  readonly className: string;
  /** Controller that classes of the mesh name. */
  readonly controllerName: string;
  /** True: there are waypoints. */
  readonly waypoints: boolean;
  /** True: there are gateways that take tunnels into their network. */
  readonly eastWest: boolean;
}

/** The classes that are missing. Those that exist stay as they are: they may be the user's. */
export function missingClasses(
  classes: readonly Pick<GatewayClassItem, "metadata">[],
  { className, controllerName, waypoints, eastWest }: ClassNames,
): OrchObject[] {
  const wanted = [
    {
      name: className,
      controllerName,
      description: "Gateways that the mesh deploys and configures",
    },
    { ...REMOTE, description: "Gateways of another cluster, which are not deployed here" },
    ...waypoints ? [{ ...WAYPOINT, description: "Waypoints that the mesh deploys" }] : [],
    ...eastWest ? [{ ...EAST_WEST, description: "Gateways for tunnels from other networks" }] : [],
  ];
  const present = new Set(classes.map(({ metadata }) => metadata.name));
  return wanted.filter(({ name }) => !present.has(name)).map(({ name, ...spec }) => ({
    apiVersion: `${GATEWAY_CLASS.group}/${GATEWAY_CLASS.version}`,
    kind: GATEWAY_CLASS.kind,
    metadata: { name },
    spec,
  }));
}

/** Creates a class; another daemon may be faster. */
export async function createClass(client: OrchClient, object: OrchObject): Promise<void> {
  await createObject(client, GATEWAY_CLASS, object).catch((error) => {
    if (!isConflict(error)) throw error;
  });
}
