/**
 * Properties of VirtualServices: destinations, gateways, what matches read.
 *
 * @module
 */
import {
  type Destination,
  DestinationSchema,
  type VirtualService,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { apiRuleOf } from "../../model/mod.ts";

/** Every destination that a VirtualService sends or mirrors to, or that is asked about requests. */
export function destinationsOf({ http, tls, tcp }: VirtualService): Destination[] {
  const named = [
    ...http.flatMap((r) => [
      ...r.route.map((d) => d.destination),
      r.mirror,
      ...r.mirrors.map((m) => m.destination),
      authorizerOf(r),
    ]),
    ...[...tls, ...tcp].flatMap((r) => r.route.map((d) => d.destination)),
  ];
  return named.filter((d) => d !== undefined);
}

function authorizerOf(rule: VirtualService["http"][number]): Destination | undefined {
  const { authorizer } = apiRuleOf(rule) ?? {};
  if (authorizer === undefined) return undefined;
  const { host, port } = authorizer;
  return create(DestinationSchema, { host, port: { number: port } });
}

/** Reports if a VirtualService depends on other ones (delegates), or on the client's namespace. */
export function isParticular({ http, tls, tcp }: VirtualService): boolean {
  return http.some((rule) => rule.delegate !== undefined) ||
    [...http, ...tls, ...tcp].some((rule) =>
      rule.match.some((match) => match.sourceNamespace !== "")
    );
}

/** Reports if HTTP rules of a VirtualService match source labels, or may do so by delegation. */
export function selectsLabels({ http }: VirtualService): boolean {
  return http.some((rule) =>
    rule.delegate !== undefined ||
    rule.match.some((match) => Object.keys(match.sourceLabels).length > 0)
  );
}

/** Reports if TCP or TLS rules of a VirtualService match source labels. */
export function selectsConnections({ tls, tcp }: VirtualService): boolean {
  return [...tls, ...tcp].some((rule) =>
    rule.match.some((match) => Object.keys(match.sourceLabels).length > 0)
  );
}

/** Reports if a VirtualService applies to sidecars: no gateways named, or `mesh` among them. */
export function boundToMesh(spec: VirtualService): boolean {
  return spec.gateways.length === 0 || spec.gateways.includes("mesh");
}
