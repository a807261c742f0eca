/**
 * Objects of the benchmark of the Gateway API.
 *
 * @module
 */
import {
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { make, makeService } from "../../support/cluster_objects.ts";

const GATEWAY_API = { group: "gateway.networking.k8s.io", version: "v1", namespaced: true };
export const GATEWAY: ResourceType = { ...GATEWAY_API, kind: "Gateway", plural: "gateways" };
export const ROUTE: ResourceType = { ...GATEWAY_API, kind: "HTTPRoute", plural: "httproutes" };

/** Namespace and name of the Gateway that all routes are attached to. */
export const EDGE = { namespace: "edge", name: "edge" };
/** The Service that all routes lead to, in the namespace `default`. */
export const BACKEND = "backend";

/** A backend of one endpoint, and a Gateway of one listener that takes routes of all namespaces. */
export async function makeEdge(
  client: OrchClient,
  options: {
    readonly port: number;
    readonly backend: { readonly address: string; readonly port: number };
  },
): Promise<void> {
  const { port, backend } = options;
  await make(client, types.NAMESPACE, { name: EDGE.namespace });
  await makeService(client, BACKEND);
  const labels = { "kubernetes.io/service-name": BACKEND };
  await make(client, types.ENDPOINT_SLICE, { name: BACKEND, labels }, {
    addressType: "IPv4",
    ports: [{ name: "http", port: backend.port }],
    endpoints: [{ addresses: [backend.address] }],
  });
  await make(client, GATEWAY, EDGE, {
    spec: {
      gatewayClassName: "mesh",
      listeners: [{
        name: "http",
        port,
        protocol: "HTTP",
        allowedRoutes: { namespaces: { from: "All" } },
      }],
    },
  });
}

/** The host of a route. */
export function hostOf(name: string): string {
  return `${name}.example.test`;
}

/** A route of a host of its own to the backend. */
export function makeRoute(
  client: OrchClient,
  namespace: string,
  name: string,
): Promise<OrchObject> {
  return make(client, ROUTE, { namespace, name }, { spec: specOf(name, "/") });
}

/** A route of one rule for a path. */
export function specOf(name: string, path: string): Record<string, unknown> {
  return {
    parentRefs: [{ ...EDGE }],
    hostnames: [hostOf(name)],
    rules: [{
      matches: [{ path: { type: "PathPrefix", value: path } }],
      backendRefs: [{ namespace: "default", name: BACKEND, port: 80 }],
    }],
  };
}

/** Lets routes of these namespaces lead to Services of `default`; one grant has 16 at most. */
export async function grant(
  client: OrchClient,
  name: string,
  namespaces: readonly string[],
): Promise<void> {
  const type = { ...GATEWAY_API, kind: "ReferenceGrant", plural: "referencegrants" };
  await make(client, type, { namespace: "default", name }, {
    spec: {
      from: namespaces.map((namespace) => ({
        group: GATEWAY_API.group,
        kind: "HTTPRoute",
        namespace,
      })),
      to: [{ group: "", kind: "Service" }],
    },
  });
}
