/**
 * Clusters from which proxies fetch Wasm modules.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_DiscoveryType as DiscoveryType,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { UpstreamTlsContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { create, type Duration, durationOf, packAny } from "../../../kit/proto/mod.ts";
import { fipsParameters, tlsSocket } from "../core/mod.ts";

/** Timeout for fetching a module. */
export const FETCH_TIMEOUT: Duration = durationOf(30_000);

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Returns the cluster of an address. TLS does not verify the server, because the module is verified
 * by its checksum. `fips` limits the parameters of TLS to what FIPS 140-2 allows.
 */
export function fetchCluster(address: string, fips: boolean): Cluster {
  const { secure, port, host } = serverOf(address);
  const name = fetchClusterName(address);
  return create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: "type", value: DiscoveryType.STRICT_DNS },
    connectTimeout: durationOf(CONNECT_TIMEOUT_MS),
    loadAssignment: {
      clusterName: name,
      endpoints: [{
        lbEndpoints: [{
          hostIdentifier: {
            case: "endpoint",
            value: {
              address: {
                address: {
                  case: "socketAddress",
                  value: { address: host, portSpecifier: { case: "portValue", value: port } },
                },
              },
            },
          },
        }],
      }],
    },
    transportSocket: secure
      ? tlsSocket(packAny(UpstreamTlsContextSchema, {
        sni: host,
        ...(fips ? { commonTlsContext: { tlsParams: fipsParameters() } } : {}),
      }))
      : undefined,
  });
}

/** The name of the cluster of an address. */
export function fetchClusterName(address: string): string {
  const { secure, port, host } = serverOf(address);
  return `module-fetch|${port}|${secure ? "tls" : ""}|${host}`;
}

function serverOf(address: string): { secure: boolean; port: number; host: string } {
  const url = new URL(address);
  const secure = url.protocol === "https:";
  return {
    secure,
    port: Number(url.port) || (secure ? 443 : 80),
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
  };
}
