/**
 * Outbound configuration that a Sidecar resource shapes: its egress listeners,
 * and the hosts each of them imports.
 *
 * @module
 */
import type { MeshEgressListener } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { protocolOf, sidecarKeys } from "../../derive/mod.ts";
import type { Derived, Read } from "../../graph/mod.ts";
import { isHttp, mayBeHttp, mayBeTcp, type Service } from "../../model/mod.ts";
import { type Context, type Flavour, hasOwnListeners, pickService } from "../context/mod.ts";
import { splitKey } from "../resources/mod.ts";

/** The tables about egress listeners. `scope` is `NS|sidecar`. */
export interface Egress {
  /** {@link egressKey} → members: `listener|port|kind`, kind `vip/HOST` or {@link Kind}. */
  readonly listenerMembers: Derived<readonly string[]>;
  /** scope → members of route tables: `listener|port|name`. */
  readonly routeMembers: Derived<readonly string[]>;
  /** `scope|listener|port` → imported hosts with an HTTP port of that number. */
  readonly httpHosts: Derived<readonly string[]>;
  /** scope → members of all tables: `port|name|host`. */
  readonly virtualHostMembers: Derived<readonly string[]>;
}

/** Key of a scope's listeners, for proxies that use given addresses or not. */
export function egressKey(scope: string, { given }: Pick<Flavour, "given">): string {
  return `${given ? "given" : ""}|${scope}`;
}

/** Creates the tables. */
export function deriveEgress(context: Context): Egress {
  const { graph } = context.mesh;
  const listenerMembers = graph.derive<readonly string[]>(
    "egress.listeners",
    (read, key) => {
      const bar = key.indexOf("|");
      const scope = key.slice(bar + 1);
      const members = portsOf(read, context, scope)
        .map(({ index, port, kind }) => `${index}|${port}|${kind}`);
      const given = key.slice(0, bar) === "given";
      return [...members, ...addressMembers(read, context, scope, given)].sort();
    },
  );
  const routeMembers = graph.derive<readonly string[]>(
    "egress.routes",
    (read, scope) =>
      portsOf(read, context, scope).filter(({ http }) => http).map(({ index, port }) => {
        const bind = egressOf(read, context, scope)[index]?.bind ?? "";
        return `${index}|${port}|${routeName(bind, port)}`;
      }).sort(),
  );
  const httpHosts = graph.derive<readonly string[]>("egress.httpHosts", (read, key) => {
    const [namespace = "", sidecar = "", listener = "", portText = ""] = splitKey(key, 4);
    const port = Number(portText);
    const scope = `${namespace}|${sidecar}`;
    const served = imported(read, context, scope, listener)
      .filter((host) =>
        pickService(read, context, namespace, host)?.ports
          .some((p) => isPort(p.number, port) && mayBeHttp(p.protocol)) === true
      );
    if (!isPort(80, port)) return served;
    // Hosts that only VirtualServices name are served there too.
    return [
      ...served,
      ...read.get(context.mesh.scopes.egressRouteHosts, {
        namespace,
        sidecar,
        listener: Number(listener),
      }),
    ];
  });
  const virtualHostMembers = graph.derive<readonly string[]>(
    "egress.virtualHosts",
    (read, scope) => {
      const seen = new Set<string>();
      return read.get(routeMembers, scope).flatMap((member) => {
        const [listener = "", port = "", name = ""] = splitKey(member, 3);
        // Of listeners with one table between them the first has it.
        if (seen.has(name)) return [];
        seen.add(name);
        return read.get(httpHosts, `${scope}|${listener}|${port}`)
          .map((host) => `${port}|${name}|${host}`);
      }).sort();
    },
  );
  return { listenerMembers, routeMembers, httpHosts, virtualHostMembers };
}

/** Whether a listener's table takes hosts of a port: that of a Unix socket (0) takes those of any. */
function isPort(number: number, listener: number): boolean {
  return listener === 0 || number === listener;
}

/** Name of the route table of an HTTP listener: its port, or its Unix socket. */
export function routeName(bind: string, port: number): string {
  return bind.startsWith("unix://") ? bind : `${port}`;
}

export function egressOf(
  read: Read,
  { mesh }: Context,
  scope: string,
): readonly MeshEgressListener[] {
  const { sidecar } = sidecarKeys.decode(scope);
  return read.get(mesh.tables.sidecars, sidecar)?.spec.egress ?? [];
}

export function imported(
  read: Read,
  { mesh }: Context,
  scope: string,
  listener: string | number,
): readonly string[] {
  return read.get(mesh.scopes.egressHosts, {
    ...sidecarKeys.decode(scope),
    listener: Number(listener),
  });
}

/**
 * What a listener carries: HTTP alone, what services that declare no HTTP
 * declare, both, or bytes as they are.
 */
type Kind = "http" | "tcp" | "mixed" | "raw";

/** A port that an egress listener opens. */
interface EgressPort {
  /** Position of the listener. */
  readonly index: number;
  readonly port: number;
  readonly kind: Kind;
  /** Whether it may carry HTTP. */
  readonly http: boolean;
}

/**
 * The ports of all egress listeners. One without a port of its own stands for
 * every port of the hosts it imports that no other listener has.
 */
function portsOf(read: Read, context: Context, scope: string): EgressPort[] {
  return egressOf(read, context, scope).flatMap((listener, index): EgressPort[] => {
    if (listener.port === undefined) return openPorts(read, context, scope, index);
    const protocol = protocolOf(listener.port.protocol);
    const kind = isHttp(protocol) ? "http" : mayBeHttp(protocol) ? "mixed" : "raw";
    return [{ index, port: listener.port.number, kind, http: kind !== "raw" }];
  });
}

function openPorts(read: Read, context: Context, scope: string, index: number): EgressPort[] {
  const taken = takenPorts(read, context, scope);
  const found = new Map<number, { declared: boolean; tcp: boolean; http: boolean }>();
  for (const { service } of openServices(read, context, scope, index)) {
    for (const { number, protocol } of service.ports) {
      if (protocol === "UDP" || taken.has(number)) continue;
      const port = found.get(number) ?? { declared: false, tcp: false, http: false };
      port.declared ||= isHttp(protocol);
      port.tcp ||= mayBeTcp(protocol);
      port.http ||= mayBeHttp(protocol);
      found.set(number, port);
    }
  }
  return [...found].map(([port, { declared, tcp, http }]) => {
    const kind = !declared ? "tcp" : tcp ? "mixed" : "http";
    return { index, port, kind, http };
  });
}

/** Members of single addresses, of listeners without a port of their own. */
function addressMembers(
  read: Read,
  context: Context,
  scope: string,
  given: boolean,
): string[] {
  const taken = takenPorts(read, context, scope);
  return egressOf(read, context, scope).flatMap((listener, index) => {
    if (listener.port !== undefined) return [];
    return openServices(read, context, scope, index)
      .filter(({ service }) => hasOwnListeners(read, context, service, { given, family: "dual" }))
      .flatMap(({ host, service }) =>
        service.ports.filter((p) => mayBeTcp(p.protocol) && !taken.has(p.number))
          .map((p) => `${index}|${p.number}|vip/${host}`)
      );
  });
}

function openServices(
  read: Read,
  context: Context,
  scope: string,
  index: number,
): { host: string; service: Service }[] {
  const namespace = scope.slice(0, scope.indexOf("|"));
  return imported(read, context, scope, index).flatMap((host) => {
    const service = pickService(read, context, namespace, host);
    return service === undefined ? [] : [{ host, service }];
  });
}

/** Ports that listeners have for themselves. */
function takenPorts(read: Read, context: Context, scope: string): Set<number> {
  const egress = egressOf(read, context, scope);
  return new Set(egress.flatMap(({ port }) => port?.number ?? []));
}
