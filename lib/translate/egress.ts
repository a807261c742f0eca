/**
 * Outbound configuration that a Sidecar resource shapes: its egress listeners,
 * and the hosts each of them imports.
 *
 * @module
 */
import type { Derived, Read, Resource } from "../graph/mod.ts";
import { isHttp } from "../model/mod.ts";
import { isRange, protocolOf } from "../derive/mod.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { CaptureMode, type MeshEgressListener } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { type Context, pickService, splitKey } from "./context.ts";
import { fallthroughCluster, managerDefaults } from "./defaults.ts";
import { outboundHttpListener } from "./listener/mod.ts";
import { type Flavour, parseFlavour, wildcard } from "./flavour.ts";
import { encodeResource, sameResources } from "./resource.ts";
import {
  addressListeners,
  sharedTcpListener,
  type TcpPlace,
  tcpServices,
} from "./tcp_listeners.ts";

/** The tables about egress listeners. `scope` is `NS|sidecar`. */
export interface Egress {
  /** scope → members: `listener|port|kind`, kind `http`, `tcp` or `vip/HOST`. */
  readonly listenerMembers: Derived<readonly string[]>;
  /** `flavour|scope|member` → the listener. */
  readonly listeners: Derived<readonly Resource[]>;
  /** scope → members of route tables: `listener|port|name`. */
  readonly routeMembers: Derived<readonly string[]>;
  /** `scope|listener|port` → imported hosts with an HTTP port of that number. */
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
    const scope = `${namespace}|${sidecar}`;
    const served = imported(read, context, scope, listener)
      .filter((host) =>
        pickService(read, context, namespace, host)?.ports
          .some((p) => p.number === port && isHttp(p.protocol)) === true
      );
    if (port !== 80) return served;
    // Hosts that only VirtualServices name are served there too.
    return [...served, ...read.get(context.mesh.scopes.egressRouteHosts, `${scope}|${listener}`)];
  });
  const listeners = graph.derive<readonly Resource[]>("lds.egress", (read, key) => {
    const [flavour = "", namespace = "", sidecar = "", member = ""] = splitKey(key, 4);
    return egressListeners(read, context, {
      flavour: parseFlavour(flavour),
      namespace,
      scope: `${namespace}|${sidecar}`,
      member,
    });
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

/**
 * A listener without a port of its own stands for every port of the hosts it
 * imports that no other listener has. HTTP wins a port that both kinds want.
 */
function openMembers(
  read: Read,
  context: Context,
  scope: string,
  listener: number,
  taken: ReadonlySet<number>,
): string[] {
  const namespace = scope.slice(0, scope.indexOf("|"));
  const kinds = new Map<number, "http" | "tcp">();
  const members: string[] = [];
  for (const host of imported(read, context, scope, listener)) {
    const service = pickService(read, context, namespace, host);
    for (const { number, protocol } of service?.ports ?? []) {
      if (taken.has(number) || protocol === "UDP") continue;
      if (isHttp(protocol)) kinds.set(number, "http");
      else {
        if (!kinds.has(number)) kinds.set(number, "tcp");
        if (service!.addresses.some((a) => !isRange(a))) {
          members.push(`${listener}|${number}|vip/${host}`);
        }
      }
    }
  }
  for (const [port, kind] of kinds) members.push(`${listener}|${port}|${kind}`);
  return members;
}

interface EgressPlace {
  readonly flavour: Flavour;
  readonly namespace: string;
  readonly scope: string;
  readonly member: string;
}

function egressListeners(read: Read, context: Context, place: EgressPlace): Resource[] {
  const [index = "", portText = "", kind = ""] = place.member.split("|");
  const spec = egressOf(read, context, place.scope)[Number(index)];
  if (spec === undefined) return [];
  const bound = spec.captureMode === CaptureMode.NONE ||
    (spec.captureMode === CaptureMode.DEFAULT && place.flavour.bound);
  const at = {
    flavour: { ...place.flavour, bound },
    namespace: place.namespace,
    port: Number(portText),
    sidecar: place.scope.slice(place.scope.indexOf("|") + 1),
    bind: spec.bind === "" ? undefined : spec.bind,
  };
  if (kind === "http") return [httpListener(read, context, at)];
  if (kind.startsWith("vip/")) {
    return addressListeners(read, context, at, kind.slice("vip/".length));
  }
  const hosts = imported(read, context, place.scope, index);
  const services = tcpServices(read, context, at.namespace, at.port, hosts);
  return sharedTcpListener(read, context, at, services);
}

function httpListener(read: Read, context: Context, at: TcpPlace): Resource {
  const binding = at.bind !== undefined ? { bind: at.bind } : {
    ...wildcard(at.flavour),
    fallthroughCluster: fallthroughCluster(read, context, at.flavour, at.sidecar),
  };
  const listener = outboundHttpListener({
    ...binding,
    port: at.port,
    bindToPort: at.flavour.bound,
    routeName: routeName(at.bind ?? "", at.port),
    manager: managerDefaults(read, context, at.flavour),
  });
  return encodeResource(listener.name, ListenerSchema, listener);
}
