/**
 * Nodes of the map with their marks: mutual TLS, endpoints, zones, troubles.
 *
 * @module
 */
import { modeOf } from "../../../mesh/derive/mod.ts";
import {
  acceptsTunnels,
  type Endpoint,
  type Locality,
  objectKeys,
  type Service,
} from "../../../mesh/model/mod.ts";
import { hasMutualProxy } from "../../../mesh/translate/mod.ts";
import type { SessionInfo } from "../../../mesh/xds/mod.ts";
import { ServerTLSSettings_TLSmode as TlsMode } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import type { GraphNode, Mark } from "../../picture/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { type GatewayObject, proxiesOfGateway } from "./gateways.ts";

/** A node with its marks one by one, as in the table. */
export interface MapNode extends GraphNode {
  readonly security: Mark;
  readonly instances: Mark;
  readonly zones: string;
  readonly troubles: readonly Mark[];
}

type Marks = Pick<MapNode, "security" | "instances" | "zones" | "troubles">;

const NOTHING: Mark = { text: "", tone: "plain" };

interface NodeBase extends Pick<GraphNode, "id" | "kind" | "label" | "name" | "focus"> {
  /** The namespace, unless it is the one that the map is about. */
  readonly elsewhere?: string;
}

/** A node with the lines that its marks make; the troubles are the last line. */
export function nodeOf(
  base: NodeBase,
  { security, instances, zones, troubles }: Partial<Marks> = {},
): MapNode {
  const marks = { security: security ?? NOTHING, instances: instances ?? NOTHING };
  const second = { ...marks.instances, text: join(marks.instances.text, zones ?? "") };
  const { elsewhere = "", ...rest } = base;
  const place = { text: elsewhere === "" ? "" : `in ${elsewhere}`, tone: "plain" as const };
  return {
    ...rest,
    ...marks,
    zones: zones ?? "",
    troubles: troubles ?? [],
    marks: [place, marks.security, second, ...troubles ?? []].filter(({ text }) => text !== ""),
  };
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

export function serviceMarks(
  { mesh }: DebugInputs,
  service: Service,
  sessions: readonly SessionInfo[],
): Marks {
  const endpoints = mesh.graph.peek(mesh.services.endpoints, service);
  const security: Mark = service.meshExternal
    ? { text: "outside of the mesh", tone: "plain" }
    : securityOf(mesh, endpoints);
  return {
    security: { ...security, text: join(security.text, waypointOf(mesh, service)) },
    instances: healthOf(service, endpoints),
    zones: zonesOf(endpoints.map(({ locality }) => locality)),
    troubles: rejecting(sessions, "sidecar"),
  };
}

/** The waypoint of a service in words. */
function waypointOf({ graph, ambient }: DebugInputs["mesh"], { namespace, host }: Service): string {
  if (ambient === undefined) return "";
  const { waypoint, fault } = graph.peek(ambient.waypoints.ofService, { namespace, host });
  if (waypoint !== undefined) {
    return `waypoint ${
      waypoint.namespace === namespace ? waypoint.name : objectKeys.encode(waypoint)
    }`;
  }
  return fault === undefined ? "" : "waypoint not used";
}

function securityOf(
  mesh: DebugInputs["mesh"],
  endpoints: readonly Endpoint[],
): Mark {
  const ofTunnels = mesh.ambient === undefined
    ? []
    : endpoints.filter((one) => !hasMutualProxy(one) && acceptsTunnels(one));
  if (ofTunnels.length === 0) return mutualTlsOf(mesh, endpoints);
  const others = endpoints.filter((one) => !ofTunnels.includes(one));
  const rest = mutualTlsOf(mesh, others);
  return {
    text: join("HBONE", rest.text),
    tone: others.length === 0 ? "good" : rest.tone,
  };
}

function mutualTlsOf(
  { graph, security }: DebugInputs["mesh"],
  endpoints: readonly Endpoint[],
): Mark {
  const modes = new Set(endpoints.flatMap((endpoint) => {
    if (!hasMutualProxy(endpoint)) return ["none"];
    const { namespace, labels, ports } = endpoint;
    const found = graph.peek(security.peerModes, { role: "sidecar", namespace, labels });
    return Object.values(ports).map((port) => modeOf(found, port));
  }));
  if (modes.size === 0) return NOTHING;
  if (modes.size > 1) return { text: `mTLS mixed: ${[...modes].sort().join(", ")}`, tone: "warn" };
  const [mode] = modes;
  return { text: `mTLS ${mode}`, tone: mode === "strict" ? "good" : "plain" };
}

function healthOf(service: Service, endpoints: readonly Endpoint[]): Mark {
  const all = endpoints.length;
  if (all === 0) {
    return service.resolution === "NONE" || service.resolution === "DYNAMIC_DNS"
      ? { text: "by address", tone: "plain" }
      : { text: "no endpoint", tone: "warn" };
  }
  const healthy = endpoints.filter(({ health }) => health === "healthy").length;
  if (healthy === all) {
    return { text: all === 1 ? "1 endpoint" : `${all} endpoints`, tone: "plain" };
  }
  return { text: `${healthy} of ${all} healthy`, tone: healthy === 0 ? "bad" : "warn" };
}

/** Names of zones in a node. */
const ZONES = 3;

/** The zones, or the regions where no zone is known; empty: none is known. */
function zonesOf(localities: readonly Locality[]): string {
  const names = localities.map(({ zone, region }) => zone === "" ? region : zone);
  const known = [...new Set(names.filter((name) => name !== ""))].sort();
  const more = known.length - ZONES;
  return [...known.slice(0, ZONES), ...more > 0 ? [`${more} more`] : []].join(", ");
}

function rejecting(sessions: readonly SessionInfo[], one: "sidecar" | "proxy"): Mark[] {
  const found = sessions.filter(({ types }) => types.some(({ state }) => state === "ERROR")).length;
  if (found === 0) return [];
  const many = one === "proxy" ? "proxies" : "sidecars";
  return [{ text: found === 1 ? `1 ${one} rejects` : `${found} ${many} reject`, tone: "bad" }];
}

const CLIENT_CERTIFICATES: ReadonlySet<TlsMode> = new Set([
  TlsMode.MUTUAL,
  TlsMode.MESH_MUTUAL,
  TlsMode.OPTIONAL_MUTUAL,
]);

/** The marks of a Gateway: its ports, and the proxies that it selects. */
export function gatewayMarks(inputs: DebugInputs, gateway: GatewayObject): Marks {
  const proxies = proxiesOfGateway(inputs, gateway);
  const ports = gateway.spec.servers.map(({ port, tls }) => {
    const mutual = tls !== undefined && CLIENT_CERTIFICATES.has(tls.mode);
    return `${port?.number ?? 0} ${port?.protocol ?? ""}${mutual ? " mTLS" : ""}`;
  });
  return {
    security: { text: [...new Set(ports)].join(", "), tone: "plain" },
    instances: proxies.length === 0
      ? { text: "no proxy", tone: "warn" }
      : { text: proxies.length === 1 ? "1 proxy" : `${proxies.length} proxies`, tone: "plain" },
    zones: zonesOf(proxies.map(({ node }) => node.locality)),
    troubles: rejecting(proxies, "proxy"),
  };
}
