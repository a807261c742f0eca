/**
 * The ports at which a gateway listens: those that its Gateways name, as its services map them.
 *
 * @module
 */
import type { GatewayPort } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type Service, serviceKeys } from "../../model/mod.ts";
import type { ExposedPort, ListenerVariant, MeshContext } from "../context/mod.ts";

/** The target of a service's port; the least number of several. `undefined` where it has the same number. */
function targetOf({ exposedPorts }: ListenerVariant, number: number): ExposedPort | undefined {
  const all = exposedPorts.filter(({ port }) => port === number);
  if (all.some(({ targetPort }) => targetPort === number)) return undefined;
  return all.sort((a, b) => a.targetPort - b.targetPort)[0];
}

/**
 * The port at which a gateway listens for a port that its Gateways name, to which clients connect: the
 * target port of the gateway's service. It is the named port where another port of the Gateways
 * listens at the target.
 *
 * @param ports all that the Gateways name
 */
export function listenedPort(
  read: Read,
  { mesh }: MeshContext,
  variant: ListenerVariant,
  { port: { number, bind, family }, ports }: {
    readonly port: GatewayPort;
    readonly ports: readonly GatewayPort[];
  },
): number {
  const target = targetOf(variant, number);
  if (target === undefined) return number;
  const numbers = ports.filter((other) =>
    other.bind === bind && (other.family === "udp") === (family === "udp")
  ).map((other) => other.number);
  const to = listenersOf(variant, numbers).get(number);
  const service = read.get(mesh.services.service, serviceKeys.decode(target.service));
  if (to !== target.targetPort || service === undefined) return number;
  recordPort(read, service, "port", to);
  return to;
}

/**
 * The port of the listener of each named port. Ports without a target have their own; then the least
 * first take their targets, unless these have a listener.
 */
function listenersOf(variant: ListenerVariant, named: readonly number[]): Map<number, number> {
  const ports = [...new Set(named)].sort((a, b) => a - b);
  const wanted = new Map(ports.map((number) => [number, targetOf(variant, number)?.targetPort]));
  const used = new Set(ports.filter((number) => wanted.get(number) === undefined));
  return new Map(ports.map((number) => {
    const to = wanted.get(number);
    const listened = to === undefined || used.has(to) ? number : to;
    used.add(listened);
    return [number, listened];
  }));
}

/** Reports if a service of the gateway has a UDP port with this target, so that it takes HTTP/3. */
export function takesQuic(
  read: Read,
  { mesh }: MeshContext,
  { exposedPorts }: ListenerVariant,
  listened: number,
): boolean {
  return exposedPorts.some(({ targetPort, service: key, port }) => {
    const service = targetPort === listened
      ? read.get(mesh.services.service, serviceKeys.decode(key))
      : undefined;
    if (!service?.ports.some((p) => p.number === port && p.protocol === "UDP")) return false;
    recordPort(read, service, "http3", port);
    return true;
  });
}

function recordPort(read: Read, { source }: Service, group: string, value: number): void {
  read.decide?.({ group, source: "object", object: source, field: "spec.ports", value });
}
