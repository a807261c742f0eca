/**
 * Services that the networks of the mesh name as their gateways (`registryServiceName`).
 *
 * @module
 */
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { Followed } from "../../followed.ts";
import { idOf } from "./slice_index.ts";

/** The named Services of one cluster. */
export interface NamedGateways extends Disposable {
  /** True if the networks name the Service with this id. */
  has(service: string): boolean;
}

/** Settings of {@link followNamedGateways}. */
export interface NamedGatewaysOptions {
  /** Absent: no Service is named. */
  readonly networks?: Followed<MeshNetworks> | undefined;
  /** DNS suffix of services. */
  readonly domain: string;
  /** Called with the ids of Services that are named since a change, or no longer. */
  readonly changed: (services: ReadonlySet<string>) => void;
}

/** Follows the networks. */
export function followNamedGateways(
  { networks, domain, changed }: NamedGatewaysOptions,
): NamedGateways {
  let named = networks === undefined ? new Set<string>() : namedIn(networks.current(), domain);
  const unsubscribe = networks?.subscribe((current) => {
    const next = namedIn(current, domain);
    const different = named.symmetricDifference(next);
    named = next;
    if (different.size > 0) changed(different);
  });
  return {
    has: (service) => named.has(service),
    [Symbol.dispose]: () => unsubscribe?.(),
  };
}

function namedIn({ networks }: MeshNetworks, domain: string): Set<string> {
  const suffix = `.svc.${domain}`.toLowerCase();
  const ids = Object.values(networks).flatMap(({ gateways }) =>
    gateways.flatMap(({ gw }) => {
      if (gw.case !== "registryServiceName") return [];
      const host = gw.value.toLowerCase();
      if (!host.endsWith(suffix)) return [];
      const [name = "", namespace = "", ...rest] = host.slice(0, -suffix.length).split(".");
      return name === "" || namespace === "" || rest.length > 0 ? [] : [idOf(namespace, name)];
    })
  );
  return new Set(ids);
}
