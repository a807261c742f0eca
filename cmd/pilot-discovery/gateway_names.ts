/**
 * Gateways of networks that are given by host names.
 *
 * @module
 */
import { declareEnv } from "../../lib/env/mod.ts";
import { scope } from "../../lib/log/mod.ts";
import { clone } from "../../lib/proto/mod.ts";
import { type NameSource, type Resolve, startNameSource } from "../../lib/sources/mod.ts";
import { isIp } from "../../lib/text/mod.ts";
import { type MeshNetworks, MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";

const RESOLVE_HOSTNAME_GATEWAYS = declareEnv({
  name: "RESOLVE_HOSTNAME_GATEWAYS",
  type: "bool",
  default: true,
  doc: "Resolve host names in load balancer addresses of gateways between networks.",
  readers: ["pilot-discovery"],
});

const log = scope("networks");

/** Networks whose gateways are addresses. */
export interface ResolvedNetworks extends Disposable {
  /** The networks with what is known of their gateways' names by now; looks those up that are new. */
  resolve(networks: MeshNetworks): MeshNetworks;
}

/**
 * Looks names of gateways up, and again as answers grow old.
 *
 * @param onChange called with the networks when a gateway has other addresses
 * @param resolve asks for a name; default: the system's name servers
 */
export function resolveGateways(
  onChange: (networks: MeshNetworks) => void,
  resolve?: Resolve,
): ResolvedNetworks {
  let last: MeshNetworks | undefined;
  const names = startNameSource({
    resolve,
    onFailure: (name, error) => log.warn("a network's gateway is not resolved", { name, error }),
    onChange: () => last !== undefined && onChange(withAddresses(last, names)),
  });
  return {
    resolve: (networks) => {
      if (!RESOLVE_HOSTNAME_GATEWAYS.get()) {
        for (const name of namesIn(networks)) {
          log.warn("a network's gateway is a host name, and none are resolved", { name });
        }
        return networks;
      }
      last = networks;
      names.want(namesIn(networks));
      return withAddresses(networks, names);
    },
    [Symbol.dispose]: () => names[Symbol.dispose](),
  };
}

type Gateway = MeshNetworks["networks"][string]["gateways"][number];

/** The name of a gateway; `undefined` where it is an address, or a service. */
function nameOf({ gw }: Gateway): string | undefined {
  return gw.case === "address" && gw.value !== "" && !isIp(gw.value) ? gw.value : undefined;
}

function namesIn({ networks }: MeshNetworks): string[] {
  return Object.values(networks).flatMap(({ gateways }) =>
    gateways.map(nameOf).filter((name) => name !== undefined)
  );
}

/** A gateway for each of a name's addresses, in its place. */
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
