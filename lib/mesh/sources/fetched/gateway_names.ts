/**
 * Networks whose gateways are given by host names: the names are resolved, and resolved again as the
 * answers expire.
 *
 * @module
 */
import { scope } from "../../../kit/log/mod.ts";
import { clone } from "../../../kit/proto/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { type MeshNetworks, MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { createListeners, type Followed } from "../followed.ts";
import { RESOLVE_HOSTNAME_GATEWAYS } from "../variables.ts";
import { type NameSource, type Resolve, startNameSource } from "./names.ts";

const log = scope("networks");

/** Networks whose gateways have addresses. */
export type ResolvedNetworks = Followed<MeshNetworks> & Disposable;

/**
 * Resolves the names of gateways. A gateway without an answer is left out; one with several addresses
 * becomes several gateways.
 *
 * @param resolve looks up a name; default: the name servers of the system
 */
export function resolveGateways(
  networks: Followed<MeshNetworks>,
  resolve?: Resolve,
): ResolvedNetworks {
  const listeners = createListeners<MeshNetworks>();
  const names = startNameSource({
    resolve,
    onFailure: (name, error) => log.warn("a network's gateway is not resolved", { name, error }),
    onChange: () => listeners.notify(withAddresses(networks.current(), names)),
  });
  const request = (current: MeshNetworks): void => {
    if (RESOLVE_HOSTNAME_GATEWAYS.get()) return names.request(namesIn(current));
    for (const name of namesIn(current)) {
      log.warn("a network's gateway is a host name, and RESOLVE_HOSTNAME_GATEWAYS is false", {
        name,
      });
    }
  };
  const resolved = (current: MeshNetworks): MeshNetworks =>
    RESOLVE_HOSTNAME_GATEWAYS.get() ? withAddresses(current, names) : current;
  request(networks.current());
  const unsubscribe = networks.subscribe((current) => {
    request(current);
    listeners.notify(resolved(current));
  });
  return {
    current: () => resolved(networks.current()),
    subscribe: listeners.subscribe,
    [Symbol.dispose]: () => {
      unsubscribe();
      names[Symbol.dispose]();
    },
  };
}

type Gateway = MeshNetworks["networks"][string]["gateways"][number];

/** The host name of a gateway; `undefined` for an address or a service. */
function nameOf({ gw }: Gateway): string | undefined {
  return gw.case === "address" && gw.value !== "" && !isIp(gw.value) ? gw.value : undefined;
}

function namesIn({ networks }: MeshNetworks): string[] {
  return Object.values(networks).flatMap(({ gateways }) =>
    gateways.map(nameOf).filter((name) => name !== undefined)
  );
}

/** A copy with one gateway for each address of a name. */
function withAddresses(networks: MeshNetworks, names: NameSource): MeshNetworks {
  if (namesIn(networks).length === 0) return networks;
  const resolved = clone(MeshNetworksSchema, networks);
  for (const network of Object.values(resolved.networks)) {
    network.gateways = network.gateways.flatMap((gateway) => {
      const name = nameOf(gateway);
      if (name === undefined) return [gateway];
      return names.addressesOf(name).map((value): Gateway => ({
        ...gateway,
        gw: { case: "address", value },
      }));
    });
  }
  return resolved;
}
