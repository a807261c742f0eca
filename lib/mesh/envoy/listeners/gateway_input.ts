/**
 * The input of builders of gateway listeners.
 *
 * @module
 */
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import {
  type ServerTLSSettings,
  ServerTLSSettings_TLSmode as Mode,
  ServerTLSSettings_TLSProtocol as Version,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import type { Parts } from "../../../kit/base/mod.ts";
import type { Protocol } from "../../model/mod.ts";
import type { SecretSockets } from "../authentication/mod.ts";
import type { ManagerDefaults } from "../connection_manager/mod.ts";
import type { SecurityPolicies } from "./security.ts";
import type { Binding } from "./input.ts";
import type { TcpChain } from "./tcp_chain.ts";

/** An HTTP port of a gateway. Servers that share it differ only in the route table. */
export interface GatewayHttpInput extends Binding {
  /** Route table, for example `http.8080`. */
  readonly routeName: string;
  readonly protocol?: Protocol;
  readonly manager: ManagerDefaults;
  /** Default: everything is allowed. */
  readonly security?: SecurityPolicies;
}

/** A TCP port of a gateway. */
export interface GatewayTcpInput extends Binding {
  /** If two chains match the same connections, the first one is used. */
  readonly chains: readonly TcpChain[];
  readonly manager: ManagerDefaults;
  /** Default: everything is allowed. */
  readonly security?: SecurityPolicies;
}

/** A filter chain of a server with TLS, selected by the server's hosts. */
export interface GatewayTlsChain {
  /** Host names of the server. */
  readonly sniHosts: readonly string[];
  /** Ranges of the destination address; `undefined` or empty: any. */
  readonly destinationCidrs?: readonly string[];
  /** ALPN protocols of which clients must offer one; default: any, or none. */
  readonly alpn?: readonly string[];
  /** Terminates the clients' TLS; without it TLS is passed through. */
  readonly tls?: ServerTLSSettings;
  /** Terminates mutual TLS as workloads do, instead of `tls`. */
  readonly mutual?: TransportSocket;
  /** Programs that serve secrets which `tls` may name; default: none. */
  readonly sockets?: SecretSockets;
  /** Route table of the requests, or the TCP destination. */
  readonly to: { readonly routeName: string } | { readonly tcp: TcpChain };
}

/** A port of a gateway with servers that are selected by SNI. */
export interface GatewayTlsInput extends Binding {
  /** Runs the parts of many chains. */
  readonly parts?: Parts;
  /** If two chains match the same connections, the first one is used. */
  readonly chains: readonly GatewayTlsChain[];
  readonly manager: ManagerDefaults;
  /** Default: everything is allowed. */
  readonly security?: SecurityPolicies;
  /** Port at which HTTP/3 is advertised for the chains that {@link takesHttp3} accepts. */
  readonly alternative?: number | undefined;
}

/**
 * Reports if a server's chain is also available over QUIC: HTTP with TLS that terminates here and
 * allows TLS 1.3. Envoy does not request client certificates over QUIC, so servers that require
 * them use only TCP.
 */
export function takesHttp3({ to, tls }: GatewayTlsChain): boolean {
  const { TLS_AUTO, TLSV1_3 } = Version;
  return "routeName" in to && tls?.mode === Mode.SIMPLE &&
    (tls.maxProtocolVersion === TLS_AUTO || tls.maxProtocolVersion === TLSV1_3);
}
