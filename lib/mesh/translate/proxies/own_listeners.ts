/**
 * The outbound listeners at a proxy's own addresses, which it does not have.
 *
 * @module
 */
import { listenerName } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import {
  mayBeTcp,
  type ProxyClass,
  type Service,
  serviceKeys,
  type ServiceTarget,
} from "../../model/mod.ts";
import { isGrpc, type MeshContext } from "../context/mod.ts";

/** A proxy, as far as its outbound listeners depend on its own addresses. */
export interface OwnAddresses {
  readonly cls: Pick<ProxyClass, "role" | "interception" | "options">;
  /** Key of the Sidecar that narrows what it sees; `""` for none. */
  readonly sidecar: string;
  /** The ports of services that it serves. */
  readonly targets: readonly ServiceTarget[];
  readonly ips: readonly string[];
}

/**
 * The names of the listeners that the instances of headless services have at the addresses of a
 * proxy, sorted. The proxy has none of them: connections of a workload to its own address do not
 * pass through an outbound listener. An address that is also a virtual address keeps its listener.
 */
export function ownListeners(
  read: Read,
  { mesh }: MeshContext,
  { cls, sidecar, targets, ips }: OwnAddresses,
): readonly string[] {
  if (cls.role !== "sidecar" || cls.interception === "NONE" || isGrpc(cls)) return [];
  const ports = new Set<number>();
  for (const service of new Set(targets.map((target) => target.service))) {
    const found = read.get(mesh.services.service, serviceKeys.decode(service));
    if (found?.headless === true) {
      for (const port of listenedPorts(found, sidecar)) ports.add(port);
    }
  }
  if (ports.size === 0) return [];
  return ips.filter((ip) => !read.any(mesh.indexes.hostsByVip, ip))
    .flatMap((ip) => [...ports].map((port) => listenerName(ip, port))).sort();
}

/** The ports of a service with listeners of instances. A port of a Sidecar may be for TCP itself. */
function listenedPorts({ ports }: Service, sidecar: string): number[] {
  return ports.filter(({ protocol }) => sidecar === "" ? mayBeTcp(protocol) : protocol !== "UDP")
    .map(({ number }) => number);
}
