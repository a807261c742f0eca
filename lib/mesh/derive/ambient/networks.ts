/**
 * Networks, as far as addresses depend on them.
 *
 * @module
 */
import { type Derived, type Read, text } from "../../graph/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import {
  networkLabel,
  type ObjectKey,
  objectKey,
  objectKeys,
  type ObjectMeta,
} from "../../model/mod.ts";
import {
  bindAddresses,
  type BoundGateway,
  deployedAccount,
  EAST_WEST_CLASS,
  HBONE,
  statedAddresses,
} from "../../gateway_api/mod.ts";
import type { NetworkEntrance } from "../../ambient/mod.ts";
import type { GatewayApi } from "../gateway_api/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { type NetworkMap, networkOf, type Networks, type Services } from "../services/mod.ts";
import type { AmbientIndexes } from "./indexes.ts";

/** An address of a gateway that takes tunnels into a network. */
export type TunnelGateway = NetworkEntrance;

/** The derived tables. */
export interface AmbientNetworks {
  /** Key `""` → rules that give addresses their networks. */
  readonly rules: Derived<NetworkMap>;
  /** Key `""` → the network of the daemon's cluster; empty: none. */
  readonly own: Derived<string>;
  /** A Gateway that takes tunnels into a network → the network; undefined: it is another gateway. */
  readonly entrance: Derived<string | undefined, ObjectKey>;
  /** A Gateway that takes tunnels into a network → the service account of its proxies. */
  readonly account: Derived<string | undefined, ObjectKey>;
  /** Network → the gateways that take tunnels into it. */
  readonly gateways: Derived<readonly TunnelGateway[]>;
  /** Key `all` → host names among the addresses of those gateways, sorted. */
  readonly names: Derived<readonly string[]>;
}

/** Everything that they are made from. */
export interface NetworkInputs {
  readonly mesh: MeshInputs;
  readonly services: Services;
  readonly networks: Networks;
  readonly gatewayApi: GatewayApi;
  readonly clusterId: string;
}

/** Creates the tables. */
export function deriveAmbientNetworks(
  inputs: NetworkInputs,
  indexes: AmbientIndexes,
): AmbientNetworks {
  const { mesh, networks, clusterId } = inputs;
  const { graph, tables } = mesh;
  const rules = graph.derive("ambient.networks", text, (read, key): NetworkMap => ({
    ...read.get(networks.all, key),
    gateways: new Map(),
  }));
  const own: AmbientNetworks["own"] = graph.derive("ambient.network", text, (read, key) => {
    const root = objectKey({ namespace: "", name: mesh.rootNamespace(read) });
    const label = networkLabel(read.get(tables.namespaces, root)?.meta.labels ?? {});
    return label || read.get(rules, key).registries.get(clusterId) || "";
  });
  const gateways: AmbientNetworks["gateways"] = graph.derive(
    "ambient.networkGateways",
    text,
    (read, network): readonly TunnelGateway[] =>
      read.members(indexes.networkGateways, network).flatMap((key) =>
        gatewaysOf(read, inputs, network, key)
      ),
  );
  return {
    rules,
    own,
    gateways,
    names: graph.derive("ambient.gatewayNames", text, (read, bucket): readonly string[] => {
      const addresses = read.members(indexes.networks, bucket)
        .flatMap((network) => read.get(gateways, network).map(({ address }) => address));
      return [...new Set(addresses)].filter((address) => !isIp(address)).sort();
    }),
    entrance: graph.derive("ambient.entrance", objectKeys, (read, key): string | undefined => {
      const { api, bound } = inputs.gatewayApi;
      if (read.get(bound.gateways, key)?.role !== "east-west") return undefined;
      const row = read.get(api.gateways, objectKey(key));
      return networkLabel(row?.meta.labels ?? {}) || read.get(own, "");
    }),
    account: graph.derive(
      "ambient.entranceAccount",
      objectKeys,
      (read, key): string | undefined => {
        const { api, bound } = inputs.gatewayApi;
        const gateway = read.get(bound.gateways, key);
        const row = read.get(api.gateways, objectKey(key));
        return row === undefined || gateway === undefined
          ? undefined
          : accountOf(row.meta, gateway);
      },
    ),
  };
}

/** Addresses of a Gateway with a listener of tunnels. */
function gatewaysOf(
  read: Read,
  inputs: NetworkInputs,
  network: string,
  key: ObjectKey,
): TunnelGateway[] {
  const { api, bound } = inputs.gatewayApi;
  const row = read.get(api.gateways, objectKey(key));
  const gateway = read.get(bound.gateways, key);
  const port = row?.spec.listeners?.find(({ protocol }) => protocol === HBONE)?.port;
  if (row === undefined || gateway === undefined || port === undefined) return [];
  const addresses = gateway.role === "remote"
    ? statedAddresses(row.spec)
    : addressesInFront(read, inputs, key);
  const serviceAccount = accountOf(row.meta, gateway);
  return addresses.map(({ value }) => ({ ...key, network, serviceAccount, address: value, port }));
}

/** The account of a Gateway's proxies; that of another control plane is taken to be of the class. */
function accountOf(meta: ObjectMeta, { role, className }: BoundGateway): string {
  return deployedAccount(meta, role === "remote" ? EAST_WEST_CLASS : className).name;
}

/** The network of an address, in the cluster that knows it. */
export function networkAt(
  read: Read,
  { networks, clusterId }: {
    readonly networks: Pick<AmbientNetworks, "rules" | "own">;
    readonly clusterId: string;
  },
  { address, network, cluster }: {
    readonly address: string;
    readonly network: string;
    /** Unset: the daemon's own. */
    readonly cluster: string | undefined;
  },
): string {
  const of = { address, network, ...(cluster === undefined ? {} : { cluster }) };
  const found = networkOf(read.get(networks.rules, ""), of, clusterId);
  return found === "" && cluster === undefined ? read.get(networks.own, "") : found;
}

function addressesInFront(read: Read, inputs: NetworkInputs, key: ObjectKey) {
  const { mesh: { domain }, services, gatewayApi: { api, bound } } = inputs;
  const row = read.get(api.gateways, objectKey(key))!;
  const { className } = read.get(bound.gateways, key)!;
  return bindAddresses(row, { className, domain }, {
    front: (host) => {
      const found = read.get(services.resolve, { namespace: key.namespace, host });
      const service = found && read.get(services.service, found);
      if (service === undefined) return undefined;
      const { externalAddresses = [], addresses } = service;
      const ports = service.ports.map(({ number }) => number);
      return { host, ports, externalAddresses, addresses };
    },
  }).addresses;
}
