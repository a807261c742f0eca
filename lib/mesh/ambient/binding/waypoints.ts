/**
 * Gateways that are waypoints.
 *
 * @module
 */
import { type ObjectKey, type ServiceKey } from "../../model/mod.ts";
import {
  type AllowedNamespaces,
  type BoundGateway,
  type Gateway,
  type GatewayClass,
  HBONE,
} from "../../gateway_api/mod.ts";

/** Label of a Gateway or its class with the kind of destinations that the waypoint serves. */
export const WAYPOINT_FOR = "mesh.io/waypoint-for";
/** Annotation of a Gateway or its class: `PROTOCOL/PORT` at which its proxies take traffic of the mesh. */
const INBOUND_BINDING = "ambient.mesh.io/waypoint-inbound-binding";
/** Label of the objects that a controller of Gateways made. */
const MANAGED = "gateway.mesh.io/managed";
const MANAGED_WAYPOINTS: readonly string[] = [
  "mesh.io-mesh-controller",
  "mesh.io-eastwest-controller",
];
/** Port of tunnels. */
export const HBONE_PORT = 15008;

const TRAFFIC_TYPES = ["all", "none", "service", "workload"] as const;
/** Destinations whose traffic a waypoint takes: services, addresses of workloads, both or neither. */
export type TrafficType = typeof TRAFFIC_TYPES[number];

/** The way in which the proxies of a waypoint take traffic of the mesh, if not as tunnels. */
export interface InboundBinding {
  /** `PROXY`: connections with a header of the PROXY protocol. */
  readonly protocol: "NONE" | "PROXY";
  /** Port at the proxies; 0: that of the connection. */
  readonly port: number;
}

/** A Gateway as a waypoint, with the destinations that it serves. */
export interface Waypoint extends ObjectKey {
  readonly className: string;
  readonly traffic: TrafficType;
  /** The service in front of its proxies; unset: the mesh has none yet. */
  readonly service?: ServiceKey;
  /** Namespaces whose objects may name it; unset: its own alone. */
  readonly allowed?: AllowedNamespaces;
  readonly inbound?: InboundBinding;
}

/** Facts about a Gateway from its neighbours. */
export interface WaypointFacts {
  readonly bound: BoundGateway;
  readonly gatewayClass: GatewayClass | undefined;
  /** The service in front of it. */
  readonly service: ServiceKey | undefined;
}

/** The waypoint that a Gateway is; undefined: it is another gateway. */
export function bindWaypoint(
  { meta, spec }: Gateway,
  { bound, gatewayClass, service }: WaypointFacts,
): Waypoint | undefined {
  const inbound = inboundBinding(
    meta.annotations[INBOUND_BINDING] ?? gatewayClass?.meta.annotations[INBOUND_BINDING],
  );
  const listeners = spec.listeners ?? [];
  const listener = listeners.find(({ protocol }) => protocol === HBONE) ??
    listeners.find(({ port }) => port === inbound?.port);
  const isWaypoint = bound.role === "waypoint" || listener?.protocol === HBONE ||
    inbound !== undefined;
  if (!isWaypoint || bound.role === "remote" || bound.role === "east-west") return undefined;
  const allowed = listener?.allowedRoutes?.namespaces;
  return {
    namespace: meta.namespace,
    name: meta.name,
    className: bound.className,
    traffic: trafficOf(meta.labels[WAYPOINT_FOR] ?? gatewayClass?.meta.labels[WAYPOINT_FOR]),
    ...(service === undefined ? {} : { service }),
    ...(allowed === undefined ? {} : { allowed }),
    ...(inbound === undefined ? {} : { inbound }),
  };
}

/** A text that is no type counts as none given. */
function trafficOf(text: string | undefined): TrafficType {
  return TRAFFIC_TYPES.find((one) => one === text) ?? "service";
}

function inboundBinding(text: string | undefined): InboundBinding | undefined {
  const [, protocol, port = "0"] = /^(NONE|PROXY)(?:\/(\d{1,5}))?$/.exec(text ?? "") ?? [];
  if (protocol === undefined || Number(port) > 65_535) return undefined;
  return { protocol: protocol as InboundBinding["protocol"], port: Number(port) };
}

/** Reports if an object is part of a waypoint or of a gateway between networks: it needs no waypoint. */
export function isWaypointProxy(labels: Readonly<Record<string, string>>): boolean {
  return MANAGED_WAYPOINTS.includes(labels[MANAGED] ?? "");
}
