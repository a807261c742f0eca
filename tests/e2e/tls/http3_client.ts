/**
 * An HTTP/3 client: an Envoy that forwards requests.
 *
 * @module
 */
import { freePort } from "../../../scripts/harness/mod.ts";
import type { Authority } from "../../support/certificates.ts";
import { runEnvoy } from "../../support/envoy_process.ts";

/** Target of the client. */
export interface Http3Target {
  readonly address: string;
  readonly port: number;
  readonly sni: string;
  readonly trusts: Authority;
}

/** Runs the client; requests to `url` go on by HTTP/3 alone. */
export async function startHttp3Client(
  target: Http3Target,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const port = freePort();
  const envoy = await runEnvoy({
    static_resources: { listeners: [listener(port)], clusters: [cluster(target)] },
  });
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => envoy[Symbol.asyncDispose](),
  };
}

const TYPE = "type.googleapis.com/envoy.extensions";

function listener(port: number): unknown {
  return {
    name: "in",
    address: { socket_address: { address: "127.0.0.1", port_value: port } },
    filter_chains: [{
      filters: [{
        name: "http",
        typed_config: {
          "@type": `${TYPE}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
          stat_prefix: "in",
          route_config: {
            virtual_hosts: [{
              name: "all",
              domains: ["*"],
              routes: [{ match: { prefix: "/" }, route: { cluster: "http3" } }],
            }],
          },
          http_filters: [{
            name: "router",
            typed_config: { "@type": `${TYPE}.filters.http.router.v3.Router` },
          }],
        },
      }],
    }],
  };
}

function cluster({ address, port, sni, trusts }: Http3Target): unknown {
  return {
    name: "http3",
    connect_timeout: "5s",
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
        "@type": `${TYPE}.upstreams.http.v3.HttpProtocolOptions`,
        explicit_http_config: { http3_protocol_options: {} },
      },
    },
    transport_socket: {
      name: "envoy.transport_sockets.quic",
      typed_config: {
        "@type": `${TYPE}.transport_sockets.quic.v3.QuicUpstreamTransport`,
        upstream_tls_context: {
          sni,
          common_tls_context: {
            alpn_protocols: ["h3"],
            validation_context: {
              trusted_ca: { filename: trusts.cert },
              match_typed_subject_alt_names: [{ san_type: "DNS", matcher: { exact: sni } }],
            },
          },
        },
      },
    },
    load_assignment: {
      cluster_name: "http3",
      endpoints: [{
        lb_endpoints: [{
          endpoint: { address: { socket_address: { protocol: "UDP", address, port_value: port } } },
        }],
      }],
    },
  };
}
