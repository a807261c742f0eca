/**
 * What VirtualServices name: destinations and gateways.
 *
 * @module
 */
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

/** Whether what a VirtualService does may depend on other ones, or on the caller's namespace. */
export function isParticular({ http, tls, tcp }: VirtualService): boolean {
  return http.some((rule) => rule.delegate !== undefined) ||
    [...http, ...tls, ...tcp].some((rule) =>
      rule.match.some((match) => match.sourceNamespace !== "")
    );
}

/** Whether HTTP rules of a VirtualService are, or may be by delegation, for callers with certain labels. */
export function selectsLabels({ http }: VirtualService): boolean {
  return http.some((rule) =>
    rule.delegate !== undefined ||
    rule.match.some((match) => Object.keys(match.sourceLabels).length > 0)
  );
}

/** Whether TCP or TLS rules of a VirtualService are for callers with certain labels. */
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
 * Key of a Gateway as a VirtualService names it: `namespace/name`, `name` in its
 * own namespace, or the older form `name.namespace.svc.domain`.
 */
export function gatewayKey(name: string, namespace: string): string {
  if (name.includes("/")) return name.startsWith("./") ? `${namespace}/${name.slice(2)}` : name;
  const dot = name.indexOf(".svc.");
  if (dot > 0) {
    const [gateway, ns] = name.slice(0, dot).split(".");
    if (gateway !== undefined && ns !== undefined) return `${ns}/${gateway}`;
  }
  return `${namespace}/${name}`;
}
