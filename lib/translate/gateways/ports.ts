/**
 * Where a gateway listens, and with what, by the services that lead to it.
 *
 * @module
 */
import type { GatewayPort, Tell } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type Service, serviceKeys } from "../../model/mod.ts";
import { type Context, type Exposed, exposed, type Flavour } from "../context/mod.ts";

/** Where a service leads connections to a port; the least number of several, `undefined` for nowhere else. */
function ledTo(flavour: Flavour, number: number): Exposed | undefined {
  const all = exposed(flavour).filter(([, , port]) => port === number);
  return all.some(([to]) => to === number) ? undefined : all.sort(([a], [b]) => a - b)[0];
}

/**
 * The port at which a gateway listens for one that its Gateways name, which is what
 * clients connect to: where a service of the gateway leads it. It stays what it is
 * where another port of the Gateways listens there already.
 *
 * @param ports all that the Gateways name
 */
export function listenedPort(
  read: Read,
  { mesh }: Context,
  flavour: Flavour,
  { number, bind }: GatewayPort,
  ports: readonly GatewayPort[],
  tell: Tell | undefined,
): number {
  const led = ledTo(flavour, number);
  if (led === undefined) return number;
  const [to, key] = led;
  const taken = ports.some((other) =>
    other.bind === bind &&
    (other.number === to || (other.number < number && ledTo(flavour, other.number)?.[0] === to))
  );
  const service = read.get(mesh.services.service, serviceKeys.decode(key));
  if (taken || service === undefined) return number;
  tellPort(service, "port", to, tell);
  return to;
}

/** Whether a service of the gateway has a UDP port that leads to this one. */
export function takesQuic(
  read: Read,
  { mesh }: Context,
  flavour: Flavour,
  listened: number,
  tell: Tell | undefined,
): boolean {
  return exposed(flavour).some(([targetPort, key, port]) => {
    const service = targetPort === listened
      ? read.get(mesh.services.service, serviceKeys.decode(key))
      : undefined;
    if (!service?.ports.some((p) => p.number === port && p.protocol === "UDP")) return false;
    tellPort(service, "http3", port, tell);
    return true;
  });
}

function tellPort(service: Service, group: string, value: number, tell: Tell | undefined): void {
  tell?.({ group, source: "object", object: service.source, field: "spec.ports", value });
}
