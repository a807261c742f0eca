/**
 * Networks, as far as addresses depend on them.
 *
 * @module
 */
import { type Derived, type Read, text } from "../../graph/mod.ts";
import { networkLabel, type ObjectKey, objectKey, type ServiceKey } from "../../model/mod.ts";
import { bindAddresses, HBONE, statedAddresses } from "../../gateway_api/mod.ts";
import type { GatewayApi } from "../gateway_api/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { NetworkMap, Networks, Services } from "../services/mod.ts";
import type { AmbientIndexes } from "./indexes.ts";

/** A gateway that takes tunnels into a network. */
export interface TunnelGateway {
  readonly port: number;
  /** IP address; unset: it is reached at `service`. */
  readonly address?: string;
  readonly service?: ServiceKey;
}

/** The derived tables. */
export interface AmbientNetworks {
  /** Key `""` → rules that give addresses their networks. */
  readonly rules: Derived<NetworkMap>;
  /** Key `""` → the network of the daemon's cluster; empty: none. */
  readonly own: Derived<string>;
  /** Network → the gateways that take tunnels into it. */
  readonly gateways: Derived<readonly TunnelGateway[]>;
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
  return {
    rules,
    own: graph.derive("ambient.network", text, (read, key) => {
      const root = objectKey({ namespace: "", name: mesh.rootNamespace(read) });
      const label = networkLabel(read.get(tables.namespaces, root)?.meta.labels ?? {});
      return label || read.get(rules, key).registries.get(clusterId) || "";
    }),
    gateways: graph.derive(
      "ambient.networkGateways",
      text,
      (read, network): readonly TunnelGateway[] =>
        read.members(indexes.networkGateways, network).flatMap((key) =>
          gatewaysOf(read, inputs, key)
        ),
    ),
  };
}

/** Addresses of a Gateway with a listener of tunnels. */
function gatewaysOf(read: Read, inputs: NetworkInputs, key: ObjectKey): TunnelGateway[] {
  const { api, bound } = inputs.gatewayApi;
  const row = read.get(api.gateways, objectKey(key));
  const gateway = read.get(bound.gateways, key);
  const port = row?.spec.listeners?.find(({ protocol }) => protocol === HBONE)?.port;
  if (row === undefined || gateway === undefined || port === undefined) return [];
  const addresses = gateway.role === "remote"
    ? statedAddresses(row.spec)
    : addressesInFront(read, inputs, key);
  return addresses.flatMap(({ type, value }) =>
    type === "IPAddress" ? [{ address: value, port }] : []
  );
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
