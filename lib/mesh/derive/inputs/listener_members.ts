/**
 * The outbound listeners that the ports of a ServiceEntry may need.
 *
 * @module
 */
import { type ConfigObject, mayBeTcp } from "../../model/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { ListenerMember } from "./keys.ts";
import { protocolOf } from "./protocol.ts";

/** Reports if an address is a range (`10.0.0.0/8`) and not a single address. */
export function isRange(address: string): boolean {
  return address.includes("/");
}

/** Reports if clients choose an instance by its address; see `Service.headless`. */
export function isHeadless({ spec, service }: ConfigObject<ServiceEntry>): boolean {
  if (service !== undefined) return service.headless;
  return spec.resolution === ServiceEntry_Resolution.NONE && spec.addresses.length === 0 &&
    spec.workloadSelector !== undefined;
}

/**
 * The outbound listeners that a ServiceEntry's ports may need: one that all services of a port
 * share, and one for each host whose port may carry other protocols than HTTP. The latter has no
 * resources while the host has no single addresses; another entry of the host may give it some.
 */
export function* listenersOf(spec: ServiceEntry): Iterable<ListenerMember> {
  for (const { number: port, protocol } of spec.ports) {
    const known = protocolOf(protocol);
    if (known === "UDP") continue;
    yield { port, host: undefined };
    if (!mayBeTcp(known)) continue;
    for (const host of spec.hosts) yield { port, host: host.toLowerCase() };
  }
}
