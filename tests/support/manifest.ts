/**
 * Configuration documents from values, for short tables of cases.
 *
 * @module
 */
import { toYaml } from "../../lib/kit/text/mod.ts";

/** Namespace of everything in tests, unless a case is about namespaces. */
export const NAMESPACE = "test";

/** A part of a specification, as it stands in YAML. */
export type Spec = Readonly<Record<string, unknown>>;

/** One document; several are joined by {@link documents}. */
export function manifest(
  kind: string,
  name: string,
  spec: Spec,
  namespace: string = NAMESPACE,
): string {
  return toYaml({
    apiVersion: "networking.mesh.io/v1",
    kind,
    metadata: { name, namespace },
    spec,
  });
}

/** Several documents in one file. */
export function documents(...texts: readonly string[]): string {
  return texts.join("---\n");
}

/** An endpoint on loopback. */
export function endpoint(
  port: number,
  labels: Readonly<Record<string, string>> = {},
  more: Spec = {},
): Spec {
  return { address: "127.0.0.1", ports: { main: port }, labels, ...more };
}

/** A service with one port, named `main`; the last argument is its endpoints, or further fields with them. */
export function serviceEntry(
  name: string,
  hosts: readonly string[],
  port: { readonly number: number; readonly protocol: string },
  more: readonly Spec[] | Spec & { readonly endpoints: readonly Spec[] },
): string {
  return manifest("ServiceEntry", name, {
    hosts,
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ ...port, name: "main" }],
    ...(Array.isArray(more) ? { endpoints: more } : more),
  });
}

/** A VirtualService's rule that sends all it matches to one subset. */
export function to(host: string, subset?: string, more: Spec = {}): Spec {
  return {
    route: [{ destination: { host, ...(subset === undefined ? {} : { subset }) } }],
    ...more,
  };
}

/** A rule that sends shares to subsets. */
export function split(host: string, shares: Readonly<Record<string, number>>): Spec {
  return {
    route: Object.entries(shares).map(([subset, weight]) => ({
      destination: { host, subset },
      weight,
    })),
  };
}
