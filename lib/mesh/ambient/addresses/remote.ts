/**
 * Workloads that stand for what is in another network, as node proxies are sent them.
 *
 * @module
 */
import { create } from "../../../kit/proto/mod.ts";
import { ipBytes } from "../../../kit/text/mod.ts";
import {
  type GatewayAddress,
  GatewayAddressSchema,
  type Port,
  TunnelProtocol,
  type Workload,
  WorkloadSchema,
  WorkloadType,
} from "#mesh/workload/workload_pb.ts";
import { type ServiceKey, serviceKeys } from "../../model/mod.ts";
import { DEFAULT_TRUST_DOMAIN } from "./workloads.ts";

/** An address at which tunnels lead into a network. */
export interface NetworkEntrance {
  readonly network: string;
  /** The Gateway. */
  readonly namespace: string;
  readonly name: string;
  readonly serviceAccount: string;
  /** IP address, or the name of a load balancer. */
  readonly address: string;
  readonly port: number;
}

/** The gateway of a network, with what the mesh knows. */
export interface GatewayFacts {
  readonly gateway: NetworkEntrance;
  /** Trust domain of the mesh. */
  readonly trustDomain: string;
  readonly clusterId: string;
}

/** A service in the network of a gateway. */
export interface SplitFacts extends GatewayFacts {
  readonly service: ServiceKey;
  readonly ports: readonly Port[];
  /** Weight of its workloads there. */
  readonly capacity: number;
}

/** A gateway as the destination of tunnels. */
export function entranceAddress(
  { network, namespace, address, port }: NetworkEntrance,
): GatewayAddress {
  const bytes = ipBytes(address);
  return create(GatewayAddressSchema, {
    destination: bytes === undefined
      ? { case: "hostname", value: { namespace, hostname: address } }
      : { case: "address", value: { network, address: bytes } },
    hboneMtlsPort: port,
  });
}

/** The workload of a gateway: who answers at its address. */
export function gatewayWorkload({ gateway, trustDomain, clusterId }: GatewayFacts): Workload {
  const { network, namespace, name, address, serviceAccount } = gateway;
  const uid = `${namespace}/${name}/${address}`;
  const bytes = ipBytes(address);
  return create(WorkloadSchema, {
    uid,
    name: uid,
    namespace,
    addresses: bytes === undefined ? [] : [bytes],
    hostname: bytes === undefined ? address : "",
    network,
    tunnelProtocol: TunnelProtocol.HBONE,
    trustDomain: trustDomain === DEFAULT_TRUST_DOMAIN ? "" : trustDomain,
    serviceAccount,
    workloadType: WorkloadType.DEPLOYMENT,
    workloadName: name,
    clusterId,
    capacity: 1,
  });
}

/** The workload that stands for those of a service behind a gateway. It has no address of its own. */
export function splitWorkload(facts: SplitFacts): Workload {
  const { gateway, trustDomain, clusterId, service, ports, capacity } = facts;
  const { network, namespace, name, address } = gateway;
  const key = serviceKeys.encode(service);
  const uid = `${network}/SplitHorizonWorkload/${namespace}/${name}/${address}/${key}`;
  return create(WorkloadSchema, {
    uid,
    name: uid,
    namespace: service.namespace,
    network,
    tunnelProtocol: TunnelProtocol.HBONE,
    trustDomain: trustDomain === DEFAULT_TRUST_DOMAIN ? "" : trustDomain,
    networkGateway: entranceAddress(gateway),
    workloadType: WorkloadType.POD,
    clusterId,
    services: { [key]: { ports: [...ports] } },
    capacity,
  });
}
