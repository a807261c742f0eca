/**
 * The endpoints that the network of a cluster takes connections of programs without a proxy to.
 *
 * @module
 */
import { serviceKeys } from "../../../mesh/model/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import type { Travel } from "./travel.ts";

/** An address and a port. */
export interface Place {
  readonly ip: string;
  readonly port: number;
}

/** The endpoints behind a virtual address; `undefined`: no service has the address. */
export function placesBehind(
  travel: Pick<Travel, "known" | "world">,
  to: Place,
): Place[] | undefined {
  const { known } = travel;
  if (known === undefined) return placesInCluster(travel, to);
  const service = known.serviceAt(to.ip);
  return service && known.endpointsOf(service, to.port)
    .flatMap(({ ip, port }) => ip === "" ? [] : [{ ip, port }]);
}

/** The endpoints of a Service of the cluster: the network knows no others. */
function placesInCluster(
  { world: { mesh, services } }: Pick<Travel, "world">,
  { ip, port }: Place,
): Place[] | undefined {
  const service = services.find(({ registry, addresses }) =>
    registry === true && addresses.includes(ip)
  );
  if (service === undefined) return undefined;
  const name = service.ports.find(({ number }) => number === port)?.name;
  const endpoints = mesh.graph.peek(mesh.services.endpoints, serviceKeys.decode(service.key));
  return endpoints.flatMap(({ address, ports, health }) => {
    const target = name === undefined ? undefined : ports[name] ?? port;
    return health === "healthy" && target !== undefined && isIp(address)
      ? [{ ip: address, port: target }]
      : [];
  });
}
