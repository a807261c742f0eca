/**
 * Protocols of listeners, and the kinds of routes that each serves.
 *
 * @module
 */
import {
  GATEWAY_GROUP,
  type GroupKind,
  type ListenerSpec,
  ROUTE_KINDS,
  type RouteKind,
} from "./objects.ts";

/** The protocol of listeners of waypoints. */
export const HBONE = "HBONE";

/** Option of TLS with a mode that the standard lacks: `MUTUAL` or `MESH_MUTUAL`. */
export const TLS_MODE_OPTION = "gateway.mesh.io/tls-terminate-mode";

/** The kinds of routes that a listener can serve; undefined: its protocol is not supported. */
export function servedKinds({ protocol, tls }: ListenerSpec): readonly string[] | undefined {
  switch (protocol) {
    case "HTTP":
    case "HTTPS":
      return ["HTTPRoute", "GRPCRoute"];
    case "TLS":
      return tls?.mode === "Passthrough" ? ["TLSRoute"] : ["TLSRoute", "TCPRoute"];
    case "TCP":
      return ["TCPRoute"];
    case "UDP":
      return ["UDPRoute"];
    case HBONE:
      return ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute"];
    default:
      return undefined;
  }
}

/** The kinds that a listener serves and allows, and whether it names one that it cannot serve. */
export function supportedKinds(
  listener: ListenerSpec,
): { readonly kinds: readonly string[]; readonly invalid: readonly GroupKind[] } {
  const served = servedKinds(listener) ?? [];
  const named = listener.allowedRoutes?.kinds ?? [];
  if (named.length === 0) return { kinds: served, invalid: [] };
  const isServed = (one: GroupKind) =>
    (one.group || GATEWAY_GROUP) === GATEWAY_GROUP && served.includes(one.kind);
  const kinds = new Set(named.filter(isServed).map(({ kind }) => kind));
  return { kinds: [...kinds], invalid: named.filter((one) => !isServed(one)) };
}

/** Reports if the hostnames of a kind of routes tell its listeners apart. */
export function hasHostnames(kind: string): boolean {
  return kind === "HTTPRoute" || kind === "GRPCRoute" || kind === "TLSRoute";
}

/** Reports if a kind is one of routes. */
export function isRouteKind(kind: string): kind is RouteKind {
  return (ROUTE_KINDS as readonly string[]).includes(kind);
}
