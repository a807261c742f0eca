/**
 * Names in VirtualServices: destinations and gateways.
 *
 * @module
 */
import { objectKey } from "../model/mod.ts";
import type { Destination, VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";

/** Every destination that a VirtualService sends or mirrors to. */
export function destinationsOf({ http, tls, tcp }: VirtualService): Destination[] {
  const named = [
    ...http.flatMap((r) => [
      ...r.route.map((d) => d.destination),
      r.mirror,
      ...r.mirrors.map((m) => m.destination),
    ]),
    ...[...tls, ...tcp].flatMap((r) => r.route.map((d) => d.destination)),
  ];
  return named.filter((d) => d !== undefined);
}

/** Whether a VirtualService depends on other ones (delegates), or on the client's namespace. */
export function isParticular({ http, tls, tcp }: VirtualService): boolean {
  return http.some((rule) => rule.delegate !== undefined) ||
    [...http, ...tls, ...tcp].some((rule) =>
      rule.match.some((match) => match.sourceNamespace !== "")
    );
}

/** Whether HTTP rules of a VirtualService match source labels, or may do so by delegation. */
export function selectsLabels({ http }: VirtualService): boolean {
  return http.some((rule) =>
    rule.delegate !== undefined ||
    rule.match.some((match) => Object.keys(match.sourceLabels).length > 0)
  );
}

/** Whether TCP or TLS rules of a VirtualService match source labels. */
export function selectsConnections({ tls, tcp }: VirtualService): boolean {
  return [...tls, ...tcp].some((rule) =>
    rule.match.some((match) => Object.keys(match.sourceLabels).length > 0)
  );
}

/** Whether a VirtualService applies to sidecars: no gateways named, or `mesh` among them. */
export function boundToMesh(spec: VirtualService): boolean {
  return spec.gateways.length === 0 || spec.gateways.includes("mesh");
}

/**
 * Row key of a Gateway by its name in a VirtualService: `namespace/name`, `name` in its
 * own namespace, or the older form `name.namespace.svc.domain`.
 */
export function gatewayKey(name: string, namespace: string): string {
  if (name.startsWith("./")) return objectKey({ namespace, name: name.slice(2) });
  if (name.includes("/")) return name;
  const dot = name.indexOf(".svc.");
  if (dot > 0) {
    const [gateway, ns] = name.slice(0, dot).split(".");
    if (gateway !== undefined && ns !== undefined) {
      return objectKey({ namespace: ns, name: gateway });
    }
  }
  return objectKey({ namespace, name });
}
