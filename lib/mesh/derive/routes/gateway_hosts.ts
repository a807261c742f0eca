/**
 * The hosts of a Gateway, and the VirtualServices of Gateways that name a host.
 *
 * @module
 */
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { Read } from "../../graph/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { ownVisibility, visibleTo } from "../inputs/mod.ts";

/** The hosts that the visible VirtualServices of a Gateway name, by the namespace of these. */
export function hostsOfGateway(
  read: Read,
  { indexes }: Pick<MeshInputs, "indexes">,
  { namespace, gateway }: { readonly namespace: string; readonly gateway: string },
): ReadonlyMap<string, ReadonlySet<string>> {
  const byOwner = new Map<string, Set<string>>();
  for (const reader of new Set(["", namespace])) {
    const named = read.members(indexes.hostsByGateway, { gateway, namespace: reader });
    for (const { owner, host } of named) {
      const hosts = byOwner.get(owner);
      if (hosts === undefined) byOwner.set(owner, new Set([host]));
      else hosts.add(host);
    }
  }
  return byOwner;
}

/** The visible VirtualServices of Gateways that name a host or pattern, in no particular order. */
export function gatewayRoutesOfHost(
  read: Read,
  { tables, indexes }: Pick<MeshInputs, "tables" | "indexes">,
  { namespace, host }: { readonly namespace: string; readonly host: string },
): ConfigObject<VirtualService>[] {
  return read.members(indexes.gatewayRoutesByHost, host).flatMap((key) => {
    const row = read.get(tables.virtualServices, key);
    return row !== undefined && visibleTo(ownVisibility(row), namespace) ? [row] : [];
  });
}
