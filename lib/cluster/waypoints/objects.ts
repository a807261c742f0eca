/**
 * Waypoints as objects of an orchestrator.
 *
 * @module
 */
import {
  listAll,
  type ListItem,
  type OrchClient,
  type OrchObject,
  type ResourceType,
} from "../../kit/orch/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";

/** Kind of the objects. */
export const GATEWAY: ResourceType = {
  group: "gateway.networking.k8s.io",
  version: "v1",
  kind: "Gateway",
  plural: "gateways",
  namespaced: true,
};

export const WAYPOINT_CLASS = "mesh-waypoint";
/** Label of the kind of traffic that a waypoint takes. */
export const WAYPOINT_FOR = "mesh.io/waypoint-for";
/** Label by which a namespace names its waypoint. */
export const USE_WAYPOINT = "mesh.io/use-waypoint";
/** The value of that label for no waypoint. */
export const NO_WAYPOINT = "none";

/** The cluster whose waypoints are meant. */
export interface WaypointCluster extends Disposable {
  readonly client: OrchClient;
  /** Namespace of the waypoints. */
  readonly namespace: string;
  readonly signal: AbortSignal | undefined;
}

export interface WaypointCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface WaypointItem extends ListItem {
  readonly spec?: { readonly gatewayClassName?: string };
  readonly status?: { readonly conditions?: readonly WaypointCondition[] };
}

/** The properties of a new waypoint. */
export interface WaypointWish {
  readonly name: string;
  readonly namespace: string;
  /** Empty: no label. */
  readonly traffic: string;
  /** Empty: no label. */
  readonly revision: string;
}

/** The Gateway of a waypoint. */
export function waypointObject(
  { name, namespace, traffic, revision }: WaypointWish,
): OrchObject & { readonly spec: unknown } {
  const labels = {
    ...traffic === "" ? {} : { [WAYPOINT_FOR]: traffic },
    ...revision === "" ? {} : { [REVISION_LABEL]: revision },
  };
  return {
    apiVersion: `${GATEWAY.group}/${GATEWAY.version}`,
    kind: GATEWAY.kind,
    metadata: {
      name,
      ...namespace === "" ? {} : { namespace },
      ...Object.keys(labels).length === 0 ? {} : { labels },
    },
    spec: {
      gatewayClassName: WAYPOINT_CLASS,
      listeners: [{ name: "mesh", port: 15008, protocol: "HBONE" }],
    },
  };
}

/** The waypoints of a namespace, or of all; sorted. */
export async function waypointsIn(
  { client }: Pick<WaypointCluster, "client">,
  namespace: string | undefined,
): Promise<readonly WaypointItem[]> {
  const all = await listAll<WaypointItem>(
    client,
    GATEWAY,
    namespace === undefined ? {} : { namespace },
  );
  const key = ({ metadata }: WaypointItem) => `${metadata.namespace} ${metadata.name}`;
  return all.filter(({ spec }) => spec?.gatewayClassName === WAYPOINT_CLASS)
    .sort((a, b) => key(a) < key(b) ? -1 : 1);
}

/** The condition that says if the proxies of a waypoint run. */
export function programmed({ status }: WaypointItem): WaypointCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Programmed");
}
