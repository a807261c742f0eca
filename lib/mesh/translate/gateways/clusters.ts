/**
 * The services that a gateway can send requests to, for gateways that get only the clusters of those.
 *
 * @module
 */
import type { MeshConfig_ExtensionProvider as Provider } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { destinationsOf, type Workload } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { fullHost, objectKey } from "../../model/mod.ts";
import type { Context } from "./features.ts";
import { type GatewayClusterTables, gatewayKeys, gatewayLocalityKeys } from "./keys.ts";
import { boundRoutes } from "./bound_routes.ts";
import type { MeshContext } from "../context/mod.ts";

/** Creates the tables. */
export function deriveGatewayClusters(context: Context): GatewayClusterTables {
  const { mesh } = context;
  const hosts = mesh.graph.derive(
    "gateway.clusterHosts",
    gatewayKeys,
    (read, { namespace, scope }): readonly string[] => {
      const found = new Set([
        ...providerHosts(read, context),
        ...keySetHosts(read, context, { role: "router", namespace, labels: scope.labels }),
      ]);
      for (const port of read.get(mesh.gatewayPorts, scope)) {
        for (const { row } of boundRoutes(read, context, namespace, port)) {
          const spec = read.get(mesh.routes.spec, objectKey(row.meta)) ?? row.spec;
          for (const { host } of destinationsOf(spec)) {
            found.add(fullHost(host, row.meta.namespace, mesh.domain));
          }
        }
      }
      return [...found].sort();
    },
  );
  const localHosts = mesh.graph.derive(
    "gateway.placedHosts",
    gatewayLocalityKeys,
    (read, { namespace, scope, locality }): readonly string[] => {
      const used = new Set(read.get(hosts, { namespace, scope }));
      return read.get(mesh.localities.clusterHosts, { namespace, sidecar: "", locality })
        .filter((host) => used.has(host));
    },
  );
  return { hosts, localHosts };
}

/** Hosts of the services that providers name, `namespace/host` or `host`. */
export function providerHosts(read: Read, { mesh }: MeshContext): string[] {
  return (mesh.field(read, "extensionProviders") ?? []).map(serviceOf)
    .filter((service) => service !== "")
    .map((service) => service.slice(service.indexOf("/") + 1).toLowerCase());
}

/** Hosts from which the gateway itself fetches key sets. */
function keySetHosts(read: Read, { mesh, features }: Context, workload: Workload): string[] {
  if (features.remoteKeys === "daemon") return [];
  return read.get(mesh.security.tokens, workload).flatMap((key) =>
    read.get(mesh.tables.requestAuthentications, key)?.spec.jwtRules ?? []
  ).flatMap(({ jwksUri }) => URL.canParse(jwksUri) ? [new URL(jwksUri).hostname] : []);
}

function serviceOf({ provider: { value } }: Provider): string {
  return value !== undefined && "service" in value ? value.service : "";
}
