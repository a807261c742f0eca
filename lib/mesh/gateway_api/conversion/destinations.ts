/**
 * Conversion of references to backends.
 *
 * @module
 */
import {
  DestinationSchema,
  type HTTPRouteDestinationSchema,
  type RouteDestinationSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { MessageInitShape } from "../../../kit/proto/mod.ts";
import { BACKEND_PORT, backendHost } from "../binding/api_backends.ts";
import { resolveBackend } from "../binding/backends.ts";
import type { BackendLookups } from "../binding/lookups.ts";
import { type BackendReference, referenced, type Route } from "../binding/objects.ts";
import { type AnyFilter, changesHeaders, convertHeaders } from "./http_headers.ts";

/** A destination; the empty one stands for a backend that requests must not reach. */
export type Destination = MessageInitShape<typeof DestinationSchema> & { readonly host?: string };

/** Converts a reference to a backend. */
export type Destinations = (ref: BackendReference) => Destination;

/** Creates the function that converts the references of a route. */
export function destinationsFor(
  route: Pick<Route, "meta">,
  look: BackendLookups,
  options: {
    readonly domain: string;
    /** True for parents of the mesh: their clients can call backends of all namespaces. */
    readonly mesh: boolean;
  },
): Destinations {
  return (ref) => {
    const backend = resolveBackend(ref, route, look, !options.mesh);
    if ("target" in backend) {
      const { host, port } = backend.target;
      return { host, port: { number: port } };
    }
    const { reason } = backend.fault;
    // A backend that is created later has its destination already.
    if (reason !== "BackendNotFound") return { host: "" };
    if (ref.kind === "XBackend") {
      const key = referenced(ref, route.meta.namespace);
      return { host: backendHost(key), port: { number: BACKEND_PORT } };
    }
    if (ref.port === undefined) return { host: "" };
    return { host: hostOf(ref, route.meta.namespace, options.domain), port: { number: ref.port } };
  };
}

function hostOf({ kind, name, namespace }: BackendReference, own: string, domain: string): string {
  if (kind === "Hostname") return name.toLowerCase();
  const suffix = kind === "ServiceImport" ? "clusterset.local" : domain;
  return `${name}.${namespace || own}.svc.${suffix}`;
}

/** A reference to a backend with a weight and, of HTTP, filters. */
export interface WeightedReference extends BackendReference {
  readonly filters?: readonly AnyFilter[];
}

/** The references with a share of the requests. */
export function weighted<T extends BackendReference>(refs: readonly T[]): readonly T[] {
  return refs.filter(({ weight }) => weight !== 0);
}

/** Destinations of connections. A single one has no weight. */
export function connectionDestinations(
  refs: readonly BackendReference[],
  destinations: Destinations,
): MessageInitShape<typeof RouteDestinationSchema>[] {
  const shares = weighted(refs);
  return shares.map((ref) => ({
    destination: destinations(ref),
    ...(shares.length === 1 ? {} : { weight: ref.weight ?? 1 }),
  }));
}

/**
 * Destinations of requests. One with filters that cannot be applied is not reached.
 *
 * @param sessions true: also those without weight, which keep the sessions that they have
 */
export function httpDestinations(
  refs: readonly WeightedReference[],
  destinations: Destinations,
  sessions = false,
): MessageInitShape<typeof HTTPRouteDestinationSchema>[] {
  const shares = sessions ? refs : weighted(refs);
  return shares.map((ref) => {
    const { filters = [] } = ref;
    const others = filters.some((one) => !changesHeaders(one));
    const headers = convertHeaders(filters);
    return {
      destination: others ? { host: "" } : destinations(ref),
      ...(shares.length === 1 ? {} : { weight: ref.weight ?? 1 }),
      ...(headers === undefined ? {} : { headers }),
    };
  });
}
