/**
 * Objects of test clusters.
 *
 * @module
 */
import {
  createObject,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../lib/kit/orch/mod.ts";

/** Creates an object in the namespace `default`, or in that of its metadata. */
export function make(
  client: OrchClient,
  type: ResourceType,
  metadata: Record<string, unknown> & { name: string },
  fields: Record<string, unknown> = {},
): Promise<OrchObject> {
  return createObject(client, type, objectOf(type, metadata, fields));
}

/** The object that {@link make} creates. */
export function objectOf(
  type: ResourceType,
  metadata: Record<string, unknown> & { name: string },
  fields: Record<string, unknown> = {},
): OrchObject {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  const namespace = type.namespaced ? { namespace: "default" } : {};
  return { apiVersion, kind: type.kind, metadata: { ...namespace, ...metadata }, ...fields };
}

/** A Service with the port 80, named `http`. */
export function makeService(
  client: OrchClient,
  name: string,
  spec: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): Promise<OrchObject> {
  const ports = [{ name: "http", port: 80 }];
  return make(client, types.SERVICE, { name, ...metadata }, { spec: { ports, ...spec } });
}

/** An EndpointSlice of a Service with addresses at port 8080. */
export function makeSlice(
  client: OrchClient,
  service: string,
  addresses: readonly string[],
  endpoint: Record<string, unknown> = {},
): Promise<OrchObject> {
  const labels = { "kubernetes.io/service-name": service };
  return make(client, types.ENDPOINT_SLICE, { name: `${service}-1`, labels }, {
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address], ...endpoint })),
  });
}
