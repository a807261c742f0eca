/**
 * References between objects: destinations of VirtualServices, and the services that hosts stand for.
 *
 * @module
 */
import { visibilityOf, visibleTo } from "../../mesh/derive/mod.ts";
import {
  type ConfigObject,
  coveringPatterns,
  fullHost,
  type Service,
} from "../../mesh/model/mod.ts";
import { create } from "../../kit/proto/mod.ts";
import {
  type Destination,
  DestinationSchema,
  type VirtualService,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { nearest } from "../../kit/text/mod.ts";
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
    // A route without destination is one to a host without name.
    yield {
      destination: destination ?? create(DestinationSchema),
      path: `${path}[${at}].destination`,
    };
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

/** The service that a destination of a VirtualService names, as far as it is known. */
export interface SeenDestination {
  /** Numbers of its ports; `undefined`: they are not known. */
  readonly ports: readonly number[] | undefined;
}

/**
 * The service that a destination names: one with the host that all namespaces see, or one of those
 * that see the VirtualService; else a ServiceEntry of a pattern that covers the host.
 */
export function destinationSeenBy(
  context: Context,
  host: string,
  { meta: { namespace }, spec: { exportTo } }: ConfigObject<VirtualService>,
): SeenDestination | undefined {
  const full = fullHost(host, namespace, context.mesh.domain);
  // `""` is a reader that sees what all namespaces see.
  const readers = exportTo.length === 0
    ? [namespace]
    : exportTo.map((one) => one === "." ? namespace : one === "*" ? "" : one);
  const seen = hostSeenBy(context, full, readers);
  if (seen?.ports !== undefined) return seen;
  for (const pattern of coveringPatterns(full)) {
    for (const reader of ["", namespace]) {
      const service = serviceSeenBy(context, pattern, reader);
      if (service !== undefined) return { ports: service.ports.map(({ number }) => number) };
    }
  }
  return seen;
}

/** The service of a host that all namespaces see, or one of `readers`. */
export function hostSeenBy(
  context: Context,
  host: string,
  readers: readonly string[],
): SeenDestination | undefined {
  const { read, indexes } = context;
  for (const reader of ["", ...readers]) {
    const service = serviceSeenBy(context, host, reader);
    if (service !== undefined) return { ports: service.ports.map(({ number }) => number) };
    const assumed = read.get(indexes.assumedHosts, host);
    const isSeen = assumed !== undefined &&
      visibleTo(visibilityOf(assumed.exportTo, assumed.namespace), reader);
    if (isSeen) return { ports: assumed.ports };
  }
  return read.get(indexes.services, "all") === false ? { ports: undefined } : undefined;
}

/** True for a host of a service that a manifest of the orchestrator defines, and when services are not described. */
export function isAssumed(
  { read, mesh, indexes }: Context,
  host: string,
  namespace: string,
): boolean {
  if (read.get(indexes.services, "all") === false) return true;
  return read.get(indexes.assumedHosts, fullHost(host, namespace, mesh.domain)) !== undefined;
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
