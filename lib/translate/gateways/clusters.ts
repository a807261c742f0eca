/**
 * Which services' clusters a gateway has, where it has those alone that it can send
 * something to.
 *
 * @module
 */
import { objectKey } from "../../model/mod.ts";
import type { MeshConfig_ExtensionProvider as Provider } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { canonicalJson } from "../../base/mod.ts";
import { destinationsOf, fullHost, labelsKeys, type Workload } from "../../derive/mod.ts";
import type { Derived, Read } from "../../graph/mod.ts";
import type { Context } from "../context/mod.ts";
import { splitKey } from "../resources/mod.ts";
import { boundRoutes } from "./bound_routes.ts";

/** The tables about them. */
export interface GatewayClusterTables {
  /**
   * `NS|scope` → hosts that the VirtualServices of the scope's Gateways name, and those
   * that the mesh's providers are at, or keys of tokens: proxies ask them, or tell them.
   */
  readonly hosts: Derived<readonly string[]>;
  /** JSON `[NS, scope, place]` → those of them whose clusters are others from a place. */
  readonly placed: Derived<readonly string[]>;
}

/** Key of {@link GatewayClusterTables.placed}. */
export function placedKey(namespace: string, scope: string, place: string): string {
  return canonicalJson([namespace, scope, place]);
}

/** Creates the tables. */
export function deriveGatewayClusters(context: Context): GatewayClusterTables {
  const { mesh } = context;
  const hosts = mesh.graph.derive<readonly string[]>("gateway.clusterHosts", (read, key) => {
    const [namespace = "", scope = ""] = splitKey(key, 2);
    const { labels } = labelsKeys.decode(scope);
    const found = new Set([
      ...providerHosts(read, context),
      ...keyHosts(read, context, { role: "router", namespace, labels }),
    ]);
    for (const port of read.get(mesh.gatewayPorts, labelsKeys.decode(scope))) {
      for (const { row } of boundRoutes(read, context, namespace, port)) {
        const key = objectKey(row.meta);
        for (const { host } of destinationsOf(read.get(mesh.routes.spec, key) ?? row.spec)) {
          found.add(fullHost(host, row.meta.namespace, mesh.domain));
        }
      }
    }
    return [...found].sort();
  });
  const placed = mesh.graph.derive<readonly string[]>("gateway.placedHosts", (read, key) => {
    const [namespace = "", scope = "", locality = ""] = JSON.parse(key) as string[];
    const used = new Set(read.get(hosts, `${namespace}|${scope}`));
    return read.get(mesh.localities.clusterHosts, { namespace, sidecar: "", locality })
      .filter((host) => used.has(host));
  });
  return { hosts, placed };
}

/** Hosts of the services that providers name, `namespace/host` or `host`. */
function providerHosts(read: Read, { mesh }: Context): string[] {
  return (mesh.field(read, "extensionProviders") ?? []).map(serviceOf)
    .filter((service) => service !== "")
    .map((service) => service.slice(service.indexOf("/") + 1).toLowerCase());
}

/** Hosts from which the gateway fetches the keys of tokens by itself. */
function keyHosts(read: Read, { mesh, features }: Context, workload: Workload): string[] {
  if (features.remoteKeys === "daemon") return [];
  return read.get(mesh.security.tokens, workload).flatMap((key) =>
    read.get(mesh.tables.requestAuthentications, key)?.spec.jwtRules ?? []
  ).flatMap(({ jwksUri }) => URL.canParse(jwksUri) ? [new URL(jwksUri).hostname] : []);
}

function serviceOf({ provider: { value } }: Provider): string {
  return value !== undefined && "service" in value ? value.service : "";
}
