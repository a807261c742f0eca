/**
 * The types of resources that are served.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { TypedExtensionConfigSchema } from "#envoy/config/core/v3/extension_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";
import { typeUrl } from "../../proto/mod.ts";

/** Type URLs that are served to agents. */
export const AGENT_TYPE_URLS: Readonly<Record<"nameTable" | "proxyConfig", string>> = {
  nameTable: typeUrl(NameTableSchema),
  proxyConfig: typeUrl(ProxyConfigSchema),
};

/** Names of the types that are served. */
type TypeName =
  | "cluster"
  | "endpoint"
  | "listener"
  | "route"
  | "virtualHost"
  | "secret"
  | "extension";

/**
 * Type URLs that are served, in the order in which additions are pushed. Virtual
 * hosts are not served to everybody: a proxy that is not has no view of them, and
 * whole route tables.
 */
export const TYPE_URLS: Readonly<Record<TypeName, string>> = {
  cluster: typeUrl(ClusterSchema),
  endpoint: typeUrl(ClusterLoadAssignmentSchema),
  listener: typeUrl(ListenerSchema),
  route: typeUrl(RouteConfigurationSchema),
  virtualHost: typeUrl(VirtualHostSchema),
  secret: typeUrl(SecretSchema),
  extension: typeUrl(TypedExtensionConfigSchema),
};
