/**
 * The part of the map about a namespace, or about a service and its neighbours.
 *
 * @module
 */
import { objectKeys, objectRef, type Service, serviceKeys } from "../../../mesh/model/mod.ts";
import { parseRowRef } from "../../../mesh/graph/mod.ts";
import type { Mark } from "../../picture/mod.ts";
import type { Traffic, TrafficEdge } from "../../monitor/mod.ts";
import { allServices } from "../config.ts";
import type { DebugInputs } from "../inputs.ts";
import { workloadsOf } from "../mesh_map.ts";
import {
  configuredEdges,
  idsOf,
  importedEdges,
  type MapEdge,
  percent,
  seenEdges,
  toneOf,
  workloadId,
} from "./edges.ts";
import { type GatewayObject, gatewaysOf } from "./gateways.ts";
import { gatewayMarks, type MapNode, nodeOf, serviceMarks } from "./nodes.ts";
import { waypointEdges } from "./waypoints.ts";
import { type MapWorkload, workloadsIn } from "./workloads.ts";

/** The subject of a map. */
export type MapAbout =
  | { readonly namespace: string }
  /** The key of a service, `namespace/host`. */
  | { readonly service: string };

export interface MapView {
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
  /** Says whether traffic was seen, and why not. */
  readonly seen: string;
  /** Workloads of the namespace as node proxies know them; absent while ambient mode is off. */
  readonly workloads?: readonly MapWorkload[];
  /** Number of services here whose Sidecar imports too many services for edges. */
  readonly wide: number;
}

/** Returns the map of a namespace, or of a service and its neighbours. */
export function mapOf(
  inputs: DebugInputs,
  about: MapAbout,
  traffic: Traffic | undefined,
): MapView {
  const services = allServices(inputs);
  const gateways = gatewaysOf(inputs);
  const ids = idsOf(inputs, services);
  const requests = traffic === undefined || "fault" in traffic ? [] : traffic.edges;
  const imports = importedEdges(inputs, services, ids);
  const isInside = insideOf(about);
  const edges = [
    ...configuredEdges(inputs, services, ids),
    ...imports.edges,
    ...waypointEdges(inputs, services),
    ...seenEdges(inputs, requests, { services, gateways, ids }),
  ].filter(({ from, to }) => isInside(from) || isInside(to));
  const all = everyNode(inputs, { services, gateways, home: homeOf(about) });
  const errors = errorsOf(requests, (host) => ids.host(host, ""));
  const drawn = new Set([
    ...[...all.keys()].filter(isInside),
    ...edges.flatMap(({ from, to }) => [from, to]),
  ]);
  const lost = new Set(
    edges.flatMap(({ to, kind, tone }) => kind !== "seen" && tone === "bad" ? [to] : []),
  );
  const focus = "service" in about ? about.service : undefined;
  return {
    ...(inputs.mesh.ambient === undefined || "service" in about
      ? {}
      : { workloads: workloadsIn(inputs, about.namespace) }),
    nodes: [...drawn].sort().map((id) =>
      all.get(id)?.(errors.get(id) ?? [], id === focus) ?? strangeNode(id, lost.has(id))
    ),
    edges,
    seen: seenSentence(traffic),
    wide: [...imports.wide.keys()].filter(isInside).length,
  };
}

function insideOf(about: MapAbout): (id: string) => boolean {
  if ("service" in about) return (id) => id === about.service;
  const { namespace } = about;
  return (id) => namespaceOfId(id) === namespace;
}

/** The namespace of a node; that of a host without service is not known. */
function namespaceOfId(id: string): string | undefined {
  if (id.startsWith(WORKLOAD)) return id.slice(id.lastIndexOf(".") + 1);
  const row = parseRowRef(id);
  if (row === undefined) return undefined;
  return row.table === "Gateway"
    ? objectKeys.decode(row.key).namespace
    : serviceKeys.decode(id).namespace;
}

const WORKLOAD = workloadId("");

type NodeMaker = (troubles: readonly Mark[], focus: boolean) => MapNode;

/** Makers of the nodes of all services and Gateways, by their ids: marks cost time. */
function everyNode(inputs: DebugInputs, { services, gateways, home }: {
  readonly services: readonly Service[];
  readonly gateways: readonly GatewayObject[];
  readonly home: string;
}): Map<string, NodeMaker> {
  const workloads = workloadsOf(inputs.sessions());
  const ofServices = services.map((service): [string, NodeMaker] => {
    const { key, host, namespace } = service;
    return [key, (troubles, focus) => {
      const marks = serviceMarks(inputs, service, workloads.get(key) ?? []);
      const base = {
        id: key,
        kind: "service" as const,
        label: shortHost(host, namespace, inputs.mesh.domain),
        name: host,
        focus,
        ...namespace !== home && { elsewhere: namespace },
      };
      return nodeOf(base, { ...marks, troubles: [...marks.troubles, ...troubles] });
    }];
  });
  const ofGateways = gateways.map((gateway): [string, NodeMaker] => {
    const { namespace, name } = gateway.meta;
    const id = objectRef(gateway);
    return [id, () =>
      nodeOf({
        id,
        kind: "gateway",
        label: name,
        name: id,
        ...namespace !== home && { elsewhere: namespace },
      }, gatewayMarks(inputs, gateway))];
  });
  return new Map([...ofServices, ...ofGateways]);
}

/** An end of edges that is no known service or Gateway; `lost`: configuration sends requests there. */
function strangeNode(id: string, lost: boolean): MapNode {
  if (id.startsWith(WORKLOAD)) {
    const workload = id.slice(WORKLOAD.length);
    // Proxies say so of clients without a proxy.
    const name = workload === "unknown" ? "clients without proxy" : workload;
    return nodeOf({ id, kind: "workload", label: name, name });
  }
  const kind = parseRowRef(id)?.table === "Gateway" ? "gateway" as const : "host" as const;
  const [text, isBad] = kind === "gateway"
    ? ["there is no such Gateway", true]
    : ["no service has this host", lost];
  return nodeOf({ id, kind, label: id, name: id }, {
    troubles: [{ text, tone: isBad ? "bad" : "plain" }],
  });
}

/** The namespace of the map: it is not repeated in the nodes. */
function homeOf(about: MapAbout): string {
  return "service" in about ? serviceKeys.decode(about.service).namespace : about.namespace;
}

/** Hosts of the orchestrator by their first part; the namespace is a line of the node. */
function shortHost(host: string, namespace: string, domain: string): string {
  const end = `.${namespace}.svc.${domain}`;
  return host.endsWith(end) ? host.slice(0, -end.length) : host;
}

/** Seen errors by the id of the service that answered so. */
function errorsOf(
  requests: readonly TrafficEdge[],
  idOf: (host: string) => string,
): Map<string, Mark[]> {
  const sums = new Map<string, { rate: number; failed: number }>();
  for (const { to, rate, errors } of requests) {
    const sum = sums.get(idOf(to)) ?? { rate: 0, failed: 0 };
    sums.set(idOf(to), { rate: sum.rate + rate, failed: sum.failed + rate * errors });
  }
  return new Map(
    [...sums].flatMap(([id, { rate, failed }]): [string, Mark[]][] =>
      failed === 0
        ? []
        : [[id, [{ text: `${percent(failed / rate)} errors seen`, tone: toneOf(failed / rate) }]]]
    ),
  );
}

function seenSentence(traffic: Traffic | undefined): string {
  if (traffic === undefined) {
    return "Traffic is not seen: the daemon has no Prometheus to ask (MESH_PROMETHEUS_ADDRESS). " +
      "All edges are from the configuration.";
  }
  if ("fault" in traffic) return `Traffic is not seen: ${traffic.fault}.`;
  return traffic.edges.length === 0
    ? "No request was seen in the last minute."
    : "Requests of the last minute are from the Prometheus of the daemon.";
}

/** A namespace in the list. */
export interface NamespaceRow {
  readonly namespace: string;
  readonly services: number;
  readonly gateways: number;
  /** Edges to or from other namespaces and hosts of no service. */
  readonly outside: number;
  /** Edges to hosts of no service. */
  readonly broken: number;
}

/** The namespaces that have services or Gateways, with their edges by VirtualServices. */
export function namespacesOf(inputs: DebugInputs): NamespaceRow[] {
  const services = allServices(inputs);
  const rows = new Map<string, { -readonly [K in keyof NamespaceRow]: NamespaceRow[K] }>();
  const rowOf = (namespace: string) => {
    const row = rows.get(namespace) ??
      { namespace, services: 0, gateways: 0, outside: 0, broken: 0 };
    rows.set(namespace, row);
    return row;
  };
  for (const { namespace } of services) rowOf(namespace).services++;
  for (const { meta: { namespace } } of gatewaysOf(inputs)) rowOf(namespace).gateways++;
  for (const { from, to, tone } of configuredEdges(inputs, services, idsOf(inputs, services))) {
    const ends = [namespaceOfId(from), namespaceOfId(to)];
    for (const namespace of new Set(ends)) {
      const row = namespace === undefined ? undefined : rows.get(namespace);
      if (row === undefined) continue;
      if (ends[0] !== ends[1]) row.outside++;
      if (tone === "bad") row.broken++;
    }
  }
  return [...rows.values()].sort((a, b) => a.namespace < b.namespace ? -1 : 1);
}
