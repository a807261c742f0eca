/**
 * The workloads, services and policies that node proxies are sent.
 *
 * @module
 */
import { AddressSchema, type Service, type Workload } from "#mesh/workload/workload_pb.ts";
import {
  ApplicationTunnel_Protocol,
  LoadBalancing_HealthPolicy as HealthPolicy,
  TunnelProtocol,
  WorkloadStatus,
} from "#mesh/workload/workload_pb.ts";
import { type Authorization, AuthorizationSchema, Scope } from "#mesh/security/authorization_pb.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { ipText } from "../../../kit/text/mod.ts";
import { objectKey, type ProxyNode, serviceKeys, XDS_TYPES } from "../../../mesh/model/mod.ts";
import type { Shelf } from "../../simulate/mod.ts";
import type { View } from "../../../mesh/graph/mod.ts";
import type { World } from "../world.ts";

/** Any node proxy of the network of the daemon's cluster: all see the same. */
export const ANY_NODE_PROXY: ProxyNode = {
  id: "ztunnel~127.0.0.1~any.debug~",
  role: "ztunnel",
  ip: "127.0.0.1",
  ips: ["127.0.0.1"],
  name: "any",
  namespace: "debug",
  dnsDomain: "",
  cluster: "",
  locality: { region: "", zone: "", subzone: "" },
  metadata: {},
  buildVersion: "",
  userAgent: "",
  transport: "delta",
};

/** Any node proxy of a network; empty: that of the daemon's cluster. */
export function nodeProxyIn(network: string): ProxyNode {
  return network === "" ? ANY_NODE_PROXY : { ...ANY_NODE_PROXY, metadata: { NETWORK: network } };
}

/** A workload that serves a port of a service. */
export interface ServiceEndpoint {
  readonly workload: Workload;
  /** Empty: the address is found by DNS. */
  readonly ip: string;
  readonly port: number;
}

/** The mesh as node proxies know it. */
export interface Known {
  readonly workloads: readonly Workload[];
  /** The service at a virtual address. */
  serviceAt(ip: string): Service | undefined;
  /** The service of a namespace and host. */
  serviceNamed(namespace: string, host: string): Service | undefined;
  /** The services of a host. */
  servicesOf(host: string): readonly Service[];
  workloadAt(ip: string): Workload | undefined;
  /** The workload that `NAME.NAMESPACE` means. */
  workloadNamed(name: string): Workload | undefined;
  /** The workloads that connections to a port of a service may go to. */
  endpointsOf(service: Service, port: number): readonly ServiceEndpoint[];
  /** The policies that the node proxy of a workload enforces. */
  policiesOf(workload: Workload): readonly Authorization[];
}

/** The source of the views of node proxies. */
type Viewed = Pick<World, "mesh" | "nodeProxy" | "nodeProxyDecode" | "decode">;

/** The mesh as node proxies of each network know it. */
export interface Knowledge {
  /** As those of a network do; empty: that of the daemon's cluster. Undefined: ambient mode is off. */
  in(network: string): Known | undefined;
  /** The networks; that of the daemon's cluster is the first one, and empty. */
  readonly networks: readonly string[];
}

/** Reads what node proxies are sent, when a network is first asked for. */
export function knowledgeOf(
  world: Viewed,
  contentOf: (view: View) => Shelf | undefined = (view) => view,
): Knowledge {
  const { ambient, graph } = world.mesh;
  const own = ambient?.multiNetwork === true ? graph.peek(ambient.networks.own, "") : undefined;
  const others = own === undefined ? [] : [...new Set(ambient!.indexes.networks.peek("all"))].sort()
    .filter((one) => one !== own);
  const found = new Map<string, Known | undefined>();
  return {
    networks: ["", ...others],
    in: (network) => {
      const key = own === undefined || network === own ? "" : network;
      if (!found.has(key)) {
        found.set(
          key,
          knownTo(world, (url) => {
            const view = world.nodeProxy?.(url, key);
            return view && contentOf(view);
          }),
        );
      }
      return found.get(key);
    },
  };
}

/** Reads what node proxies are sent; undefined: ambient mode is off. */
export function knownTo(
  { nodeProxy, nodeProxyDecode, decode: usual = fromBinary }: Omit<Viewed, "mesh">,
  contentOf: (typeUrl: string) => Shelf | undefined = (url) => nodeProxy?.(url, ""),
): Known | undefined {
  if (nodeProxy === undefined) return undefined;
  const decode = nodeProxyDecode ?? usual;
  const addresses = [...contentOf(XDS_TYPES.address.url)?.entries() ?? []]
    .map(({ bytes }) => decode(AddressSchema, bytes).type);
  const services = addresses.flatMap((one) => one.case === "service" ? [one.value] : []);
  const workloads = addresses.flatMap((one) => one.case === "workload" ? [one.value] : []);
  const byVip = new Map(
    services.flatMap((one) => one.addresses.map(({ address }) => [ipText(address), one] as const)),
  );
  const byIp = new Map(
    workloads.flatMap((one) => one.addresses.map((address) => [ipText(address), one] as const)),
  );
  let policies: readonly Authorization[] | undefined;
  return {
    workloads,
    serviceAt: (ip) => byVip.get(ip),
    serviceNamed: (namespace, host) =>
      services.find((one) => one.namespace === namespace && one.hostname === host),
    servicesOf: (host) => services.filter(({ hostname }) => hostname === host),
    workloadAt: (ip) => byIp.get(ip),
    workloadNamed: (name) => workloads.find((one) => `${one.name}.${one.namespace}` === name),
    endpointsOf: (service, port) => endpointsOf(workloads, service, port),
    policiesOf: (workload) => {
      policies ??= [...contentOf(XDS_TYPES.authorization.url)?.entries() ?? []]
        .map(({ bytes }) => decode(AuthorizationSchema, bytes));
      return policies.filter((one) => concerns(one, workload));
    },
  };
}

/** The identity in the certificate of a workload. */
export function principalOfWorkload({ trustDomain, namespace, serviceAccount }: Workload): string {
  const domain = trustDomain || "cluster.local";
  return `spiffe://${domain}/ns/${namespace}/sa/${serviceAccount || "default"}`;
}

/** Reports if the node's proxy ends tunnels for a workload, and tells it their clients. */
export function isBehindNodeProxy({ applicationTunnel }: Workload): boolean {
  return applicationTunnel?.protocol === ApplicationTunnel_Protocol.PROXY;
}

/** Reports if the node's proxy, or the workload itself, ends tunnels. */
export function takesTunnels({ tunnelProtocol }: Workload): boolean {
  return tunnelProtocol === TunnelProtocol.HBONE;
}

function endpointsOf(
  workloads: readonly Workload[],
  service: Service,
  port: number,
): ServiceEndpoint[] {
  const key = serviceKeys.encode({ namespace: service.namespace, host: service.hostname });
  const any = service.loadBalancing?.healthPolicy === HealthPolicy.ALLOW_ALL;
  return workloads.filter(({ status }) => any || status === WorkloadStatus.HEALTHY)
    .flatMap((workload): ServiceEndpoint[] => {
      const own = workload.services[key]?.ports.find(({ servicePort }) => servicePort === port);
      if (own === undefined) return [];
      const [address] = workload.addresses;
      const ip = address === undefined ? "" : ipText(address);
      return [{ workload, ip, port: own.targetPort || port }];
    });
}

function concerns(
  { scope, namespace, name }: Authorization,
  { namespace: own, authorizationPolicies }: Workload,
): boolean {
  if (scope === Scope.GLOBAL) return true;
  if (scope === Scope.NAMESPACE) return namespace === own;
  return authorizationPolicies.includes(objectKey({ namespace, name }));
}
