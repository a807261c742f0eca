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
import type { Protocol } from "../../model/mod.ts";
import type { ManagerDefaults } from "../connection_manager/mod.ts";
import type { Guard } from "./guard.ts";
import type { Binding } from "./input.ts";
import type { TcpChain } from "./tcp_chain.ts";

/** An HTTP port of a gateway; servers that share it differ in the route table alone. */
export interface GatewayHttpInput extends Binding {
  /** Route table, for example `http.8080`. */
  readonly routeName: string;
  readonly protocol?: Protocol;
  readonly manager: ManagerDefaults;
  /** Default: nothing is refused. */
  readonly guard?: Guard;
}

/** A TCP port of a gateway. */
export interface GatewayTcpInput extends Binding {
  /** Of two for the same connections the first counts. */
  readonly chains: readonly TcpChain[];
  readonly manager: ManagerDefaults;
  /** Default: nothing is refused. */
  readonly guard?: Guard;
}

/** Connections of a server with TLS, told apart from others by its hosts. */
export interface GatewayTlsChain {
  /** Names of the server. */
  readonly sniHosts: readonly string[];
  /** Ranges that the connections must be meant for; `undefined` or empty: any. */
  readonly destinationCidrs?: readonly string[];
  /** Ends the clients' TLS; without it the connections go on as they are. */
  readonly tls?: ServerTLSSettings;
  /** Ends it as workloads do, in place of `tls`. */
  readonly mutual?: TransportSocket;
  /** Route table of the requests inside, or where the connections go. */
  readonly to: { readonly routeName: string } | { readonly tcp: TcpChain };
}

/** A port of a gateway whose servers are told apart by TLS server name. */
export interface GatewayTlsInput extends Binding {
  /** Of two for the same connections the first counts. */
  readonly chains: readonly GatewayTlsChain[];
  readonly manager: ManagerDefaults;
  /** Default: nothing is refused. */
  readonly guard?: Guard;
  /** Port at which clients are told that the same servers take HTTP/3, those whose chains {@link takesHttp3}. */
  readonly alternative?: number | undefined;
}

/**
 * Whether a server's chain can be had over QUIC, too: HTTP whose TLS ends here, in
 * the one version that QUIC has. Envoy asks clients for no certificates there, so
 * servers that want them stay with TCP.
 */
export function takesHttp3({ to, tls }: GatewayTlsChain): boolean {
  const { TLS_AUTO, TLSV1_3 } = Version;
  return "routeName" in to && tls?.mode === Mode.SIMPLE &&
    (tls.maxProtocolVersion === TLS_AUTO || tls.maxProtocolVersion === TLSV1_3);
}
