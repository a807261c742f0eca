/**
 * Outbound configuration that a Sidecar resource shapes: its egress listeners,
 * and the hosts each of them imports.
 *
 * @module
 */
import type { Derived, Read, Resource } from "../graph/mod.ts";
import { isHttp } from "../model/mod.ts";
import { protocolOf } from "../derive/mod.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { CaptureMode, type MeshEgressListener } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { type Context, pickService, splitKey } from "./context.ts";
import { fallthroughCluster, managerDefaults } from "./defaults.ts";
import { outboundHttpListener, outboundTcpListener, type TcpChain } from "./listener/mod.ts";
import { type Flavour, parseFlavour, wildcard } from "./flavour.ts";
import { encodeResource, sameResources } from "./resource.ts";
import { tcpDestinations } from "./tcp_routes.ts";

/** The tables about egress listeners. `scope` is `NS|sidecar`. */
export interface Egress {
  /** scope → members: `listener|port|kind`, kind `http` or `tcp`. */
  readonly listenerMembers: Derived<readonly string[]>;
  /** `flavour|scope|member` → the listener. */
  readonly listeners: Derived<readonly Resource[]>;
  /** scope → members of route tables: `listener|port|name`. */
  readonly routeMembers: Derived<readonly string[]>;
  /** `scope|listener|port` → imported hosts with an HTTP port of that number. Port 0: every imported host that speaks HTTP, at its own port. */
  readonly httpHosts: Derived<readonly string[]>;
}

/** Creates the tables. */
export function deriveEgress(context: Context): Egress {
  const { graph } = context.mesh;
  const listenerMembers = graph.derive<readonly string[]>("egress.listeners", (read, scope) => {
    const members: string[] = [];
    const egress = egressOf(read, context, scope);
    const taken = new Set(egress.map((e) => e.port?.number).filter((n) => n !== undefined));
    egress.forEach((listener, i) => {
      if (listener.port !== undefined) {
        const kind = isHttp(protocolOf(listener.port.protocol)) ? "http" : "tcp";
        members.push(`${i}|${listener.port.number}|${kind}`);
      } else members.push(...openMembers(read, context, scope, i, taken));
    });
    return members.sort();
  });
  const routeMembers = graph.derive<readonly string[]>(
    "egress.routes",
    (read, scope) =>
      read.get(listenerMembers, scope)
        .filter((member) => member.endsWith("|http"))
        .map((member) => {
          const [listener = "", port = ""] = member.split("|");
          const bind = egressOf(read, context, scope)[Number(listener)]?.bind ?? "";
          return `${listener}|${port}|${routeName(bind, Number(port))}`;
        }),
  );
  const httpHosts = graph.derive<readonly string[]>("egress.httpHosts", (read, key) => {
    const [namespace = "", sidecar = "", listener = "", portText = ""] = splitKey(key, 4);
    const port = Number(portText);
    return imported(read, context, `${namespace}|${sidecar}`, listener)
      .filter((host) =>
        pickService(read, context, namespace, host)?.ports
          .some((p) => p.number === port && isHttp(p.protocol)) === true
      );
  });
  const listeners = graph.derive<readonly Resource[]>("lds.egress", (read, key) => {
    const [flavour = "", namespace = "", sidecar = "", member = ""] = splitKey(key, 4);
    const resource = egressListener(read, context, {
      flavour: parseFlavour(flavour),
      namespace,
      scope: `${namespace}|${sidecar}`,
      member,
    });
    return resource === undefined ? [] : [resource];
  }, { equal: sameResources });
  return { listenerMembers, listeners, routeMembers, httpHosts };
}

/** Name of the route table of an HTTP listener: its port, or its Unix socket. */
export function routeName(bind: string, port: number): string {
  return bind.startsWith("unix://") ? bind : `${port}`;
}

function egressOf(read: Read, { mesh }: Context, scope: string): readonly MeshEgressListener[] {
  const sidecar = scope.slice(scope.indexOf("|") + 1);
  return read.get(mesh.tables.sidecars, sidecar)?.spec.egress ?? [];
}

function imported(
  read: Read,
  { mesh }: Context,
  scope: string,
  listener: string | number,
): readonly string[] {
  return read.get(mesh.scopes.egressHosts, `${scope}|${listener}`);
}

/** A listener without a port of its own stands for every port of the hosts it imports that no other listener has. */
function openMembers(
  read: Read,
  context: Context,
  scope: string,
  listener: number,
  taken: ReadonlySet<number>,
): string[] {
  const namespace = scope.slice(0, scope.indexOf("|"));
  const members = new Map<number, string>();
  for (const host of imported(read, context, scope, listener)) {
    for (const port of pickService(read, context, namespace, host)?.ports ?? []) {
      if (taken.has(port.number) || port.protocol === "UDP") continue;
      // HTTP wins a port that both kinds want, as in the namespace's own listeners.
      if (isHttp(port.protocol)) members.set(port.number, "http");
      else if (!members.has(port.number)) members.set(port.number, "tcp");
    }
  }
  return [...members].map(([port, kind]) => `${listener}|${port}|${kind}`);
}

interface EgressPlace {
  readonly flavour: Flavour;
  readonly namespace: string;
  readonly scope: string;
  readonly member: string;
}

function egressListener(
  read: Read,
  context: Context,
  place: EgressPlace,
): Resource | undefined {
  const [index = "", portText = "", kind = ""] = place.member.split("|");
  const spec = egressOf(read, context, place.scope)[Number(index)];
  if (spec === undefined) return undefined;
  const bindToPort = spec.captureMode === CaptureMode.NONE ||
    (spec.captureMode === CaptureMode.DEFAULT && place.flavour.bound);
  const port = Number(portText);
  const flavour = { ...place.flavour, bound: bindToPort };
  const sidecar = place.scope.slice(place.scope.indexOf("|") + 1);
  const binding = spec.bind !== "" ? { bind: spec.bind } : {
    ...wildcard(flavour),
    fallthroughCluster: fallthroughCluster(read, context, flavour, sidecar),
  };
  const manager = managerDefaults(read, context, place.flavour);
  if (kind === "http") {
    const listener = outboundHttpListener({
      ...binding,
      port,
      bindToPort,
      routeName: routeName(spec.bind, port),
      manager,
    });
    return encodeResource(listener.name, ListenerSchema, listener);
  }
  const chains = tcpChains(read, context, place, index, port);
  if (chains.length === 0) return undefined;
  const listener = outboundTcpListener({ ...binding, port, bindToPort, chains, manager });
  return encodeResource(listener.name, ListenerSchema, listener);
}

/** The first imported TCP service of the port, by host; the listener has one address, so there is nothing to tell others apart by. */
function tcpChains(
  read: Read,
  context: Context,
  place: EgressPlace,
  index: string,
  port: number,
): readonly TcpChain[] {
  for (const host of imported(read, context, place.scope, index)) {
    const service = pickService(read, context, place.namespace, host);
    if (service?.ports.some((p) => p.number === port && !isHttp(p.protocol)) !== true) continue;
    return tcpDestinations(read, context, place.namespace, service, port, []);
  }
  return [];
}
