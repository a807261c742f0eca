/**
 * The resources of a proxy as static configuration of an Envoy, for validation and for running
 * without a control plane.
 *
 * @module
 */
import type { Served } from "../../lib/insight/simulate/mod.ts";
import {
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  SERVED_TYPES,
  toJson,
  typeUrl,
} from "../../lib/kit/proto/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { TypedExtensionConfigSchema } from "#envoy/config/core/v3/extension_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";

export interface StaticResources {
  readonly listeners: readonly JsonObject[];
  readonly clusters: readonly JsonObject[];
  readonly secrets: readonly JsonObject[];
}

/** Files that replace all named files: Envoy reads the given ones. */
export interface StandIns {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  readonly crl: string;
}

/** Resources that listeners refer to by name. */
interface Named {
  readonly routes: ReadonlyMap<string, JsonObject>;
  readonly extensions: ReadonlyMap<string, JsonObject>;
}

/** Puts routes, filters and endpoints into what refers to them, so that nothing is fetched. */
export function staticResources(served: Served, files: StandIns): StaticResources {
  const shelf = (schema: DescMessage): Map<string, JsonObject> =>
    new Map(
      [...served(typeUrl(schema))?.entries() ?? []].map(({ name, bytes }) => [
        name,
        toJson(schema, fromBinary(schema, bytes), { registry: SERVED_TYPES }) as JsonObject,
      ]),
    );
  const hosts = shelf(VirtualHostSchema);
  const routes = new Map(
    [...shelf(RouteConfigurationSchema)].map(([name, table]) => [name, whole(table, hosts)]),
  );
  const named: Named = { routes, extensions: shelf(TypedExtensionConfigSchema) };
  const endpoints = shelf(ClusterLoadAssignmentSchema);
  const settle = (value: JsonValue): JsonValue => withFiles(inlined(value, named), files);
  return {
    listeners: [...shelf(ListenerSchema).values()].map((one) => settle(one) as JsonObject),
    clusters: [...shelf(ClusterSchema).values()]
      .map((one) => settle(withEndpoints(one, endpoints)) as JsonObject),
    secrets: [...shelf(SecretSchema).values()].map((one) => settle(one) as JsonObject),
  };
}

/** Secrets that mutual TLS names, for a proxy that is served none. */
export function standInSecrets({ cert, key, ca }: StandIns): JsonObject[] {
  return [
    {
      name: "default",
      tlsCertificate: { certificateChain: { filename: cert }, privateKey: { filename: key } },
    },
    { name: "ROOTCA", validationContext: { trustedCa: { filename: ca } } },
  ];
}

function mapped(value: JsonValue, make: (one: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((one) => mapped(one, make));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(make(value)).map(([key, one]) => [key, mapped(one, make)]),
  );
}

/** A table with its virtual hosts that are resources of their own. */
function whole(table: JsonObject, hosts: ReadonlyMap<string, JsonObject>): JsonObject {
  const { vhds, virtualHosts = [], ...rest } = table;
  if (vhds === undefined) return table;
  const apart = [...hosts.values()].filter(({ name }) => `${name}`.startsWith(`${table.name}/`));
  return { ...rest, virtualHosts: [...virtualHosts as JsonValue[], ...apart] };
}

/** Route tables in their managers, filters in their places, secrets by their names alone, nothing on demand. */
function inlined(value: JsonValue, { routes, extensions }: Named): JsonValue {
  return mapped(value, ({ rds, configDiscovery, sdsConfig: _, odcdsConfig: __, ...rest }) => {
    if (configDiscovery !== undefined) {
      const found = extensions.get(rest.name as string);
      return found === undefined ? { ...rest, configDiscovery } : { ...rest, ...found };
    }
    if (rds === undefined) return rest;
    const name = (rds as JsonObject).routeConfigName as string;
    return { ...rest, routeConfig: routes.get(name) ?? { name } };
  });
}

function withEndpoints(
  cluster: JsonObject,
  endpoints: ReadonlyMap<string, JsonObject>,
): JsonObject {
  if (cluster.type !== "EDS") return cluster;
  const { edsClusterConfig, ...rest } = cluster;
  const name = (edsClusterConfig as JsonObject).serviceName ?? cluster.name;
  const loadAssignment = endpoints.get(name as string) ?? { clusterName: name! };
  return { ...rest, type: "STATIC", loadAssignment };
}

function withFiles(value: JsonValue, files: StandIns): JsonValue {
  const kinds: Readonly<Record<string, string>> = {
    certificateChain: files.cert,
    privateKey: files.key,
    trustedCa: files.ca,
    crl: files.crl,
  };
  return mapped(value, (one) =>
    Object.fromEntries(
      Object.entries(one).map(([key, part]) => {
        const file = kinds[key];
        return [key, file === undefined ? part : { filename: file }];
      }),
    ));
}
