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

/** Some of the VirtualServices of a Gateway: those of a namespace, or of any (`*`). */
export interface GatewayRoutesKey {
  /** Row key of the Gateway. */
  readonly gateway: string;
  readonly owner: string;
}

/** The hosts and patterns that VirtualServices of a Gateway name, those visible to a namespace. */
export function hostsOfGateway(
  read: Read,
  { indexes }: Pick<MeshInputs, "indexes">,
  namespace: string,
  routes: GatewayRoutesKey,
): readonly string[] {
  const [shared, own] = ["", namespace].map((seenBy) =>
    read.members(indexes.hostsByGateway, { ...routes, seenBy })
  ) as [readonly string[], readonly string[]];
  return own.length === 0 ? shared : [...new Set([...shared, ...own])];
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
