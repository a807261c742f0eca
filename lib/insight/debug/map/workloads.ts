/**
 * Workloads that node proxies know: how they are reached, and through which waypoint.
 *
 * @module
 */
import { TunnelProtocol, type Workload } from "#mesh/workload/workload_pb.ts";
import { serviceKeys } from "../../../mesh/model/mod.ts";
import { ipText } from "../../../kit/text/mod.ts";
import { knownTo } from "../../explain/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { nodeProxyOf } from "../node_proxy.ts";

/** The way in which a workload is reached in ambient mode. */
export interface MapWorkload {
  readonly name: string;
  readonly addresses: readonly string[];
  /** `HBONE`: by tunnels; `mutual TLS`: of its sidecar; `plain text`. */
  readonly protocol: string;
  /** The proxy that takes its connections: the node's proxy, a proxy of its own, or nobody. */
  readonly proxy: string;
  /** Host of the service in front of its waypoint, or of those of its services; empty: it has none. */
  readonly waypoint: string;
  readonly node: string;
}

const PROTOCOLS: Readonly<Record<TunnelProtocol, string>> = {
  [TunnelProtocol.NONE]: "plain text",
  [TunnelProtocol.HBONE]: "HBONE",
  [TunnelProtocol.LEGACY_MESH_MTLS]: "mutual TLS",
};

/** The workloads of a namespace, sorted by name; none while ambient mode is off. */
export function workloadsIn(inputs: DebugInputs, namespace: string): MapWorkload[] {
  const known = knownTo(nodeProxyOf(inputs));
  if (known === undefined) return [];
  const sidecars = new Set(
    inputs.sessions().filter(({ node }) => node.role !== "ztunnel").flatMap(({ node }) => node.ips),
  );
  return known.workloads.filter((one) => one.namespace === namespace)
    .map((one): MapWorkload => {
      const addresses = one.addresses.map(ipText);
      const own = addresses.some((address) => sidecars.has(address));
      const hosts = [one.waypoint, ...Object.keys(one.services).map((key) => waypointOf(key))]
        .flatMap((to) =>
          to?.destination.case === "hostname" ? [to.destination.value.hostname] : []
        );
      return {
        name: one.name,
        addresses,
        protocol: PROTOCOLS[one.tunnelProtocol],
        proxy: own ? "its own" : proxyOf(one),
        waypoint: [...new Set(hosts)].join(", "),
        node: one.node,
      };
    }).sort((a, b) => a.name < b.name ? -1 : 1);

  function waypointOf(key: string) {
    const { namespace, host } = serviceKeys.decode(key);
    return known?.serviceNamed(namespace, host)?.waypoint;
  }
}

function proxyOf({ tunnelProtocol }: Workload): string {
  switch (tunnelProtocol) {
    case TunnelProtocol.HBONE:
      return "of its node";
    case TunnelProtocol.LEGACY_MESH_MTLS:
      return "its own";
    default:
      return "none";
  }
}
