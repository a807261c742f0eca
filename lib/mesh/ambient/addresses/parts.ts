/**
 * Parts that messages of workloads and of services share.
 *
 * @module
 */
import { create } from "../../../kit/proto/mod.ts";
import { canonicalIp, ipBytes, isIp } from "../../../kit/text/mod.ts";
import {
  AppProtocol,
  type GatewayAddress,
  GatewayAddressSchema,
  type Port,
  PortSchema,
} from "#mesh/workload/workload_pb.ts";
import { isHttp2, isTls, type Protocol, type ServiceKey } from "../../model/mod.ts";
import { HBONE_PORT } from "../binding/mod.ts";

/** A service as the destination of tunnels. */
export function gatewayAddress({ namespace, host }: ServiceKey): GatewayAddress {
  return create(GatewayAddressSchema, {
    destination: { case: "hostname", value: { namespace, hostname: host } },
    hboneMtlsPort: HBONE_PORT,
  });
}

/** A port of a service, and the port of the workload behind it. */
export function portOf(servicePort: number, targetPort: number, protocol: Protocol): Port {
  return create(PortSchema, { servicePort, targetPort, appProtocol: protocolOf(protocol) });
}

function protocolOf(protocol: Protocol): AppProtocol {
  if (protocol === "HTTP" || protocol === "HTTP_PROXY") return AppProtocol.HTTP11;
  if (protocol === "GRPC" || protocol === "GRPC-Web") return AppProtocol.GRPC;
  if (isHttp2(protocol)) return AppProtocol.HTTP2;
  if (isTls(protocol)) return AppProtocol.TLS;
  return protocol === "TCP" ? AppProtocol.TCP : AppProtocol.UNKNOWN;
}

/** Names of IP addresses in a network, `network/address`, by which clients ask on demand. */
export function addressTexts(network: string, addresses: readonly string[]): string[] {
  return addresses.filter(isIp).map((address) => `${network}/${canonicalIp(address)}`);
}

/** The addresses that are IP addresses, as bytes. */
export function bytesOf(addresses: readonly string[]): Uint8Array[] {
  return addresses.map(ipBytes).filter((bytes) => bytes !== undefined);
}
