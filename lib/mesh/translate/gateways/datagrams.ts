/**
 * Datagrams of UDP at gateways: the cluster of each port, with the endpoints of all backends.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { type GatewayPort, gatewayPortKey } from "../../derive/mod.ts";
import { datagramCluster, type DatagramEndpoint } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { encodeResource, resourceTable } from "../resources/mod.ts";
import { boundRoutes } from "./bound_routes.ts";
import type { Context } from "./features.ts";
import { type DatagramKey, datagramKeys, type DatagramTables, gatewayKeys } from "./keys.ts";

/** Creates the tables. */
export function deriveDatagrams(context: Context): DatagramTables {
  const { mesh } = context;
  const { graph } = mesh;
  return {
    ports: graph.derive(
      "gateway.datagramPorts",
      gatewayKeys,
      (read, { scope }): readonly string[] =>
        read.get(mesh.gatewayPorts, scope).filter(({ family }) => family === "udp")
          .map(gatewayPortKey).sort(),
    ),
    clusters: resourceTable(graph, "cds.datagrams", datagramKeys, (read, key) => {
      const port = read.get(mesh.gatewayPorts, key.scope)
        .find((one) => gatewayPortKey(one) === key.port);
      const endpoints = port === undefined ? [] : endpointsOf(read, context, key, port);
      if (port === undefined || endpoints === undefined) return [];
      const cluster = datagramCluster(datagramClusterName(port), endpoints);
      return [encodeResource(cluster.name, ClusterSchema, cluster)];
    }),
  };
}

/** The name of the cluster of a port. */
export function datagramClusterName(port: GatewayPort): string {
  return ["udp", gatewayPortKey(port)].join("|");
}

/** The backends of a port: those of its oldest route; none: it has no route. */
export function datagramBackends(
  read: Read,
  context: Context,
  namespace: string,
  port: GatewayPort,
): readonly Backend[] {
  const [oldest] = boundRoutes(read, context, namespace, port);
  const [rule] = oldest?.row.spec.tcp ?? [];
  return (rule?.route ?? []).map(({ destination, weight }) => ({
    host: destination?.host ?? "",
    port: destination?.port?.number ?? 0,
    // A single destination has no weight.
    weight: rule?.route.length === 1 ? 1 : weight,
  }));
}

interface Backend {
  /** Empty: datagrams are dropped. */
  readonly host: string;
  readonly port: number;
  readonly weight: number;
}

/** The shares of backends are divided among their endpoints in units of this. */
const UNITS = 10_000;

/** Nobody takes datagrams here: the share of a backend that does not exist is dropped. */
const NOBODY = { address: "127.0.0.1", port: 9 } as const;

function endpointsOf(
  read: Read,
  context: Context,
  { namespace, network }: DatagramKey,
  port: GatewayPort,
): readonly DatagramEndpoint[] | undefined {
  const backends = datagramBackends(read, context, namespace, port);
  if (backends.length === 0) return undefined;
  return backends.filter(({ weight }) => weight > 0).flatMap(({ weight, ...backend }) => {
    const found = healthyEndpoints(read, context, { namespace, network }, backend);
    const all = found.length === 0 ? [NOBODY] : found;
    const share = Math.max(1, Math.round(weight * UNITS / all.length));
    return all.map((one) => ({ ...one, weight: share }));
  });
}

/** Addresses of a backend that the gateway reaches: names are not resolved, other networks are no use. */
function healthyEndpoints(
  read: Read,
  { mesh }: Context,
  { namespace, network }: { readonly namespace: string; readonly network: string },
  { host, port: number }: { readonly host: string; readonly port: number },
): { readonly address: string; readonly port: number }[] {
  const key = host === "" ? undefined : read.get(mesh.services.resolve, { namespace, host });
  const service = key && read.get(mesh.services.service, key);
  const name = service?.ports.find((one) => one.number === number)?.name;
  if (key === undefined || name === undefined) return [];
  return read.get(mesh.services.endpoints, key).flatMap((one) => {
    const port = one.ports[name];
    const near = network === "" || one.network === "" || one.network === network;
    const isUsable = one.health === "healthy" && near && isIp(one.address);
    return port === undefined || !isUsable ? [] : [{ address: one.address, port }];
  });
}
