/**
 * The bootstrap file of programs whose gRPC library speaks xDS. It leads them to the agent's relay.
 *
 * @module
 */
import type { BootstrapNode } from "./node.ts";

/** Input of the file. */
export interface GrpcBootstrapOptions {
  readonly node: BootstrapNode;
  /** Whole path of the socket of the relay. */
  readonly xdsSocket: string;
  /** Folder in which the agent keeps the workload's certificate; undefined: there is none. */
  readonly certificates: string | undefined;
}

/** Resource that a server of the library asks for; `%s` is its own address. */
const SERVER_LISTENER = "xds.mesh.io/grpc/lds/inbound/%s";
/** Interval at which the library reads the certificate's files again. */
const REFRESH = "900s";

/** The content of the file, as the gRPC libraries read it (gRFC A27, A29, A36). */
export function grpcBootstrapOf({ node, xdsSocket, certificates }: GrpcBootstrapOptions): string {
  const content = {
    xds_servers: [{
      server_uri: `unix://${xdsSocket}`,
      channel_creds: [{ type: "insecure" }],
      server_features: ["xds_v3"],
    }],
    node: { ...node, metadata: { ...node.metadata, GENERATOR: "grpc" } },
    server_listener_resource_name_template: SERVER_LISTENER,
    certificate_providers: certificates === undefined ? undefined : {
      default: {
        plugin_name: "file_watcher",
        config: {
          certificate_file: `${certificates}/cert-chain.pem`,
          private_key_file: `${certificates}/key.pem`,
          ca_certificate_file: `${certificates}/root-cert.pem`,
          refresh_interval: REFRESH,
        },
      },
    },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
