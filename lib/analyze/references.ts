/**
 * References between objects: destinations of VirtualServices, and the services that hosts stand for.
 *
 * @module
 */
import { coveringPatterns, fullHost, type Service } from "../model/mod.ts";
import type { Destination, VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { nearest } from "../text/mod.ts";
import type { Context } from "./analyzer.ts";

/** A destination with its field path. */
export interface DestinationWithPath {
  readonly destination: Destination;
  /** `spec.http[0].route[1].destination`. */
  readonly path: string;
}

/** All destinations of a VirtualService. */
export function* destinationsWithPaths(
  { http, tls, tcp }: VirtualService,
): Iterable<DestinationWithPath> {
  for (const [at, rule] of http.entries()) {
    yield* withPaths(rule.route, `spec.http[${at}].route`);
    if (rule.mirror !== undefined) {
      yield { destination: rule.mirror, path: `spec.http[${at}].mirror` };
    }
    yield* withPaths(rule.mirrors, `spec.http[${at}].mirrors`);
  }
  for (const [at, rule] of tls.entries()) yield* withPaths(rule.route, `spec.tls[${at}].route`);
  for (const [at, rule] of tcp.entries()) yield* withPaths(rule.route, `spec.tcp[${at}].route`);
}

function* withPaths(
  list: readonly { readonly destination?: Destination }[],
  path: string,
): Iterable<DestinationWithPath> {
  for (const [at, { destination }] of list.entries()) {
    if (destination !== undefined) yield { destination, path: `${path}[${at}].destination` };
  }
}

/** The service that a host stands for in a namespace. */
export function serviceSeenBy(
  { read, mesh }: Context,
  host: string,
  namespace: string,
): Service | undefined {
  const key = { namespace, host: fullHost(host, namespace, mesh.domain) };
  const service = read.get(mesh.services.resolve, key);
  return service === undefined ? undefined : read.get(mesh.services.service, service);
}

/** True for a host of a service that a manifest of the orchestrator defines, and when services are not described. */
export function isAssumed(
  { read, mesh, indexes }: Context,
  host: string,
  namespace: string,
): boolean {
  if (read.get(indexes.services, "all") === false) return true;
  const full = fullHost(host, namespace, mesh.domain);
  // `reviews.shop` and `reviews.shop.svc` are short forms of the full name.
  const forms = [full, `${full}.${mesh.domain}`, `${full}.svc.${mesh.domain}`];
  return forms.some((form) => read.get(indexes.assumedHosts, form) === true);
}

/** Hosts that are compared with an unknown one; comparing more would take too long. */
const MAX_COMPARED = 1000;

/**
 * A hint at the host that an unknown one is probably meant to be: one of the same namespace or of
 * the same domain that the namespace sees. Empty if there is none; else it ends with a space.
 */
export function hostHint(context: Context, host: string, namespace: string): string {
  const { read, mesh } = context;
  const full = fullHost(host, namespace, mesh.domain);
  // The first pattern covers the hosts of the same domain.
  const patterns = coveringPatterns(full).slice(0, 1);
  const hosts = new Set([
    ...read.members(mesh.indexes.hostsByNamespace, namespace).slice(0, MAX_COMPARED),
    ...patterns.flatMap((pattern) =>
      read.members(mesh.indexes.hostsByPattern, pattern).slice(0, MAX_COMPARED)
    ),
  ]);
  const near = nearest(full, hosts);
  const isSeen = near !== undefined && serviceSeenBy(context, near, namespace) !== undefined;
  return isSeen ? `Did you mean ${JSON.stringify(near)}? ` : "";
}

/** True when a service is defined for a pattern that covers the host. */
export function coveredByService({ read, mesh }: Context, host: string): boolean {
  return [host, ...coveringPatterns(host)]
    .some((pattern) => read.any(mesh.indexes.entriesByHost, pattern));
}
