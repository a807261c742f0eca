/**
 * Edges of the map: by VirtualServices, by Sidecars, and by traffic that was seen.
 *
 * @module
 */
import {
  objectKeys,
  objectRef,
  type Service,
  type ServiceKey,
  serviceKeys,
} from "../../../mesh/model/mod.ts";
import { parseRowRef, type RowRef, rowRef } from "../../../mesh/graph/mod.ts";
import type { GraphEdge, Tone } from "../../picture/mod.ts";
import type { TrafficEdge } from "../../monitor/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { type Edge, edgesOf } from "../mesh_map.ts";
import { type GatewayObject, proxiesOfGateway } from "./gateways.ts";

/** An edge with the object behind it. */
export interface MapEdge extends GraphEdge {
  /** `Kind/namespace/name`; empty for traffic that was seen. */
  readonly object: string;
  /** The known facts in words, as in the table. */
  readonly text: string;
}

/** Ids of nodes, by what edges name. */
export interface Ids {
  /** The service of a host as a namespace sees it, else the host itself. */
  readonly host: (host: string, namespace: string) => string;
}

/** Id of a workload that is not known to belong to one service. */
export function workloadId(name: string): string {
  return `workload ${name}`;
}

/** Returns the resolution of hosts to services. */
export function idsOf({ mesh }: DebugInputs, services: readonly Service[]): Ids {
  const first = new Map(services.toReversed().map(({ host, key }) => [host, key]));
  const keyOf = (found: ServiceKey | undefined) =>
    found === undefined ? undefined : serviceKeys.encode(found);
  return {
    host: (host, namespace) =>
      (namespace === ""
        ? undefined
        : keyOf(mesh.graph.peek(mesh.services.resolve, { namespace, host }))) ??
        first.get(host) ?? host,
  };
}

/** The edges of all VirtualServices. */
export function configuredEdges(
  inputs: DebugInputs,
  services: readonly Service[],
  ids: Ids,
): MapEdge[] {
  return edgesOf(inputs, services).map((edge): MapEdge => {
    const namespace = namespaceOfRef(edge.object);
    const isGateway = parseRowRef(edge.from)?.table === "Gateway";
    const share = edge.share === undefined ? "" : `${Number(edge.share.toFixed(1))} %`;
    return {
      from: isGateway ? edge.from : ids.host(edge.from, namespace),
      to: ids.host(edge.to, namespace),
      kind: edge.kind === "mirror" ? "mirror" : "configuration",
      label: edge.kind === "mirror" ? "mirror" : [share, edge.subset].filter(Boolean).join(" "),
      tone: edge.known ? "plain" : "bad",
      object: edge.object,
      text: textOf(edge, share),
    };
  });
}

function textOf({ kind, subset, known }: Edge, share: string): string {
  return [
    kind,
    ...share === "" ? [] : [share],
    ...subset === "" ? [] : [`subset ${subset}`],
    ...known ? [] : ["no service has this host"],
  ].join(", ");
}

function namespaceOfRef(ref: string): string {
  const row: RowRef | undefined = parseRowRef(ref);
  return row === undefined ? "" : objectKeys.decode(row.key).namespace;
}

/** A Sidecar that imports more services than this says little about who calls whom. */
export const MOST_IMPORTS = 12;

/** Edges by Sidecars, and the services whose Sidecar imports too many for edges. */
export interface Imports {
  readonly edges: readonly MapEdge[];
  /** Service key → number of services that it may reach. */
  readonly wide: ReadonlyMap<string, number>;
}

/** Returns what the Sidecars of the workloads of services import. */
export function importedEdges(
  inputs: DebugInputs,
  services: readonly Service[],
  ids: Ids,
): Imports {
  const { mesh } = inputs;
  const edges: MapEdge[] = [];
  const wide = new Map<string, number>();
  if (mesh.tables.sidecars.size === 0) return { edges, wide };
  for (const service of services) {
    for (const { sidecar, namespace, hosts } of importsOf(inputs, service)) {
      const to = new Set(hosts.map((host) => ids.host(host, namespace)));
      to.delete(service.key);
      if (to.size > MOST_IMPORTS) {
        wide.set(service.key, to.size);
        continue;
      }
      for (const one of to) {
        edges.push({
          from: service.key,
          to: one,
          kind: "import",
          label: "",
          tone: "plain",
          object: rowRef({ table: "Sidecar", key: sidecar }),
          text: "imported",
        });
      }
    }
  }
  return { edges, wide };
}

/** The imports of each Sidecar that restricts a workload of the service. */
function importsOf({ mesh }: DebugInputs, service: Service) {
  const found = new Map<string, { sidecar: string; namespace: string; hosts: readonly string[] }>();
  for (const { namespace, labels } of mesh.graph.peek(mesh.services.endpoints, service)) {
    const sidecar = mesh.graph.peek(mesh.scopes.sidecar, { namespace, labels });
    const egress = sidecar === "" ? [] : mesh.tables.sidecars.peek(sidecar)?.spec.egress ?? [];
    if (egress.length === 0) continue;
    const key = { namespace, sidecar, listener: undefined };
    const hosts = mesh.graph.peek(mesh.scopes.egressHosts, key);
    found.set(JSON.stringify([sidecar, namespace]), { sidecar, namespace, hosts });
  }
  return [...found.values()];
}

/** Share of errors from which an edge is marked as broken. */
const BROKEN = 0.05;

/** The edges of traffic, from services and Gateways where the workload belongs to exactly one. */
export function seenEdges(
  inputs: DebugInputs,
  traffic: readonly TrafficEdge[],
  { services, gateways, ids }: {
    readonly services: readonly Service[];
    readonly gateways: readonly GatewayObject[];
    readonly ids: Ids;
  },
): MapEdge[] {
  const owners = ownersOf(inputs, services, gateways);
  return traffic.map(({ from, to, rate, errors, mutual }): MapEdge => {
    const owner = owners.get(from);
    const failing = errors === 0 ? [] : [`${percent(errors)} errors`];
    const secure = mutual === undefined ? [] : [mutualWords(mutual)];
    return {
      from: owner?.size === 1 ? [...owner][0]! : workloadId(from),
      to: ids.host(to, ""),
      kind: "seen",
      label: failing[0] ?? `${rateText(rate)}/s`,
      tone: toneOf(errors),
      object: "",
      text: [`seen from ${from}: ${rateText(rate)} requests/s`, ...failing, ...secure].join(", "),
    };
  });
}

export function toneOf(errors: number): Tone {
  return errors >= BROKEN ? "bad" : errors > 0 ? "warn" : "plain";
}

function mutualWords(share: number): string {
  return share === 1
    ? "mutual TLS"
    : share === 0
    ? "no mutual TLS"
    : `${percent(share)} mutual TLS`;
}

/** Services and Gateways by the names of their workloads, `NAME.NAMESPACE`. */
function ownersOf(
  inputs: DebugInputs,
  services: readonly Service[],
  gateways: readonly GatewayObject[],
): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (workload: string, id: string) =>
    void found.set(workload, (found.get(workload) ?? new Set()).add(id));
  for (const gateway of gateways) {
    for (const { node: { metadata, namespace } } of proxiesOfGateway(inputs, gateway)) {
      const name = metadata.WORKLOAD_NAME;
      if (typeof name === "string") add(`${name}.${namespace}`, objectRef(gateway));
    }
  }
  const ofGateways = new Set(found.keys());
  for (const service of services) {
    const endpoints = inputs.mesh.graph.peek(inputs.mesh.services.endpoints, service);
    for (const { workload, namespace } of endpoints) {
      const name = `${workload}.${namespace}`;
      // The service before a gateway is how clients reach it; what it sends, its Gateways decide.
      if (workload !== "" && !ofGateways.has(name)) add(name, service.key);
    }
  }
  return found;
}

export function rateText(rate: number): string {
  return rate < 0.01 ? "< 0.01" : rate < 10 ? rate.toFixed(2) : rate.toFixed(0);
}

export function percent(share: number): string {
  return share < 0.001 ? "< 0.1 %" : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
