/**
 * Listeners that share a port and cannot be distinguished.
 *
 * @module
 */
import type { ListenerSpec } from "./objects.ts";

export type ConflictReason = "ProtocolConflict" | "HostnameConflict";

/** The reason why a listener is not distinct. */
export interface Conflict {
  readonly reason: ConflictReason;
  readonly message: string;
}

/** The fields of a listener that are compared. */
export type Contender = Pick<ListenerSpec, "name" | "hostname" | "port" | "protocol">;

/** Families of protocols that a port can serve side by side. */
const FAMILIES: Readonly<Record<string, string>> = {
  HTTP: "HTTP",
  HTTPS: "TLS",
  TLS: "TLS",
  HBONE: "HBONE",
  TCP: "TCP",
  UDP: "UDP",
};

/** The listeners of one port that were seen so far, without conflicts, by what distinguishes them. */
interface Port {
  /** Families of accepted listeners of former objects. */
  readonly families: Set<string>;
  /** Hostnames of accepted listeners of former objects → their protocol. */
  readonly hostnames: Map<string, string>;
}

/**
 * The conflicts among the listeners of a Gateway and its ListenerSets.
 *
 * The listeners of one object that are not distinct are all in conflict. A listener that is not distinct
 * from an accepted one of a former object is in conflict, the former one is not. The time is linear in
 * the number of listeners.
 *
 * @param objects the listeners of each object, in the order of precedence
 * @returns for each listener in turn its conflict, or undefined
 */
export function listenerConflicts(
  objects: readonly (readonly Contender[])[],
): (Conflict | undefined)[][] {
  const ports = new Map<string, Port>();
  return objects.map((listeners) => {
    const former = listeners.map((one) => conflictWith(ports.get(portOf(one)), one));
    const own = ownConflicts(listeners.filter((_, index) => former[index] === undefined));
    const conflicts = listeners.map((one, index) => former[index] ?? own.get(one));
    listeners.forEach((listener, index) => {
      if (conflicts[index] === undefined) add(ports, listener);
    });
    return conflicts;
  });
}

/** TCP and UDP ports are different ones. */
function portOf({ port, protocol }: Contender): string {
  return `${protocol === "UDP" ? "udp" : "tcp"}:${port}`;
}

function familyOf({ protocol }: Contender): string {
  return FAMILIES[protocol] ?? protocol;
}

/** Hostname that distinguishes a listener, in lower case; empty: all, or not by hostname. */
function hostnameOf({ protocol, hostname }: Contender): string {
  return protocol === "TCP" || protocol === "UDP" ? "" : (hostname ?? "").toLowerCase();
}

function add(ports: Map<string, Port>, listener: Contender): void {
  const at = portOf(listener);
  const port = ports.get(at) ?? { families: new Set(), hostnames: new Map() };
  ports.set(at, port);
  port.families.add(familyOf(listener));
  port.hostnames.set(hostnameOf(listener), listener.protocol);
}

/** The conflict of a listener with those of former objects. */
function conflictWith(port: Port | undefined, listener: Contender): Conflict | undefined {
  if (port === undefined) return undefined;
  if (!port.families.has(familyOf(listener))) return protocolConflict(listener);
  return hostnameConflict(listener, port.hostnames.get(hostnameOf(listener)));
}

/** The conflicts among listeners of one object. */
function ownConflicts(listeners: readonly Contender[]): Map<Contender, Conflict | undefined> {
  const ports = Map.groupBy(listeners, portOf);
  const families = new Map<string, number>();
  const hostnames = new Map<string, { readonly count: number; readonly protocols: string[] }>();
  for (const [at, there] of ports) {
    families.set(at, new Set(there.map(familyOf)).size);
    for (const [host, same] of Map.groupBy(there, hostnameOf)) {
      const protocols = [...new Set(same.map(({ protocol }) => protocol))];
      hostnames.set(`${at}/${host}`, { count: same.length, protocols });
    }
  }
  const conflictOf = (listener: Contender) => {
    const at = portOf(listener);
    if ((families.get(at) ?? 0) > 1) return protocolConflict(listener);
    const same = hostnames.get(`${at}/${hostnameOf(listener)}`);
    if (same === undefined || same.count < 2) return undefined;
    const other = same.protocols.find((protocol) => protocol !== listener.protocol);
    return hostnameConflict(listener, other ?? listener.protocol);
  };
  return new Map(listeners.map((listener) => [listener, conflictOf(listener)]));
}

function protocolConflict({ port, protocol }: Contender): Conflict {
  return {
    reason: "ProtocolConflict",
    message:
      `port ${port} has listeners of protocols that cannot share a port with ${protocol}; use another port`,
  };
}

function hostnameConflict(
  { port, protocol, hostname }: Contender,
  other: string | undefined,
): Conflict | undefined {
  if (other === undefined) return undefined;
  const host = hostname ? `the hostname "${hostname}"` : "all hostnames";
  if (other !== protocol) {
    return {
      reason: "ProtocolConflict",
      message: `port ${port} has a listener of ${other} for ${host} besides that of ${protocol}`,
    };
  }
  return {
    reason: "HostnameConflict",
    message: `port ${port} has another listener of ${protocol} for ${host}`,
  };
}
