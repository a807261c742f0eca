/**
 * Sidecar resources: the one that applies to a class, its egress listeners and the hosts they import.
 *
 * @module
 */
import type { MeshEgressListener } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import type { SidecarKey } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { MeshContext } from "./lookups.ts";

/** Name of the route table of an HTTP listener: its port, or its Unix socket. */
export function routeName(bind: string, port: number): string {
  return bind.startsWith("unix://") ? bind : `${port}`;
}

/**
 * Name of the route table of HTTP that is detected in connections to the addresses of a host: it has
 * the host alone. It is that of the field, so that filter objects match it.
 */
export function detectedTable(host: string, port: number): string {
  return `${host}:${port}`;
}

/** The egress listeners of a Sidecar. */
export function egressOf(
  read: Read,
  { mesh }: MeshContext,
  { sidecar }: SidecarKey,
): readonly MeshEgressListener[] {
  return read.get(mesh.tables.sidecars, sidecar)?.spec.egress ?? [];
}

/** The hosts that an egress listener imports; `undefined`: all its listeners together. */
export function importedHosts(
  read: Read,
  { mesh }: MeshContext,
  { namespace, sidecar }: SidecarKey,
  listener: number | undefined,
): readonly string[] {
  return read.get(mesh.scopes.egressHosts, { namespace, sidecar, listener });
}

/** Key of the Sidecar that applies to a class; `""` for none. */
export function sidecarOf(read: Read, { mesh }: MeshContext, cls: ProxyClass): string {
  return read.get(mesh.scopes.sidecar, { namespace: cls.namespace, labels: cls.labels });
}
