/**
 * Names of the load balancers of network gateways, with their addresses.
 *
 * @module
 */
import { scope } from "../../../../kit/log/mod.ts";
import { type Resolve, startNameSource } from "../../fetched/names.ts";
import { RESOLVE_HOSTNAME_GATEWAYS } from "../../variables.ts";

const log = scope("networks");

/** Settings of {@link followGatewayNames}. */
export interface GatewayNamesOptions {
  /** Looks up a name; default: the name servers of the system. */
  readonly resolve?: Resolve | undefined;
  /** Called with the ids of the Services that have names, when addresses have changed. */
  readonly changed: (services: readonly string[]) => void;
}

/** Names by Service. */
export interface GatewayNames extends Disposable {
  /** Sets the names of a Service; none: it is forgotten. */
  set(service: string, names: readonly string[]): void;
  /** Addresses of a name; empty until it is resolved. */
  addressesOf(name: string): readonly string[];
}

/**
 * Resolves names again as the answers expire. The last addresses stay in use while no answer comes.
 * With `RESOLVE_HOSTNAME_GATEWAYS=false` no name is looked up.
 */
export function followGatewayNames({ resolve, changed }: GatewayNamesOptions): GatewayNames {
  const namesOf = new Map<string, readonly string[]>();
  const source = startNameSource({
    ...(resolve === undefined ? {} : { resolve }),
    onFailure: (name, error) => {
      log.warn("the load balancer of a network's gateway is not resolved", { name, error });
    },
    onChange: () => changed([...namesOf.keys()]),
  });
  return {
    set: (service, names) => {
      if ((namesOf.get(service) ?? []).join() === names.join()) return;
      if (names.length === 0) namesOf.delete(service);
      else namesOf.set(service, names);
      if (RESOLVE_HOSTNAME_GATEWAYS.get()) {
        source.request([...new Set([...namesOf.values()].flat())].sort());
      } else if (names.length > 0) {
        log.warn("a network's gateway is a host name, and RESOLVE_HOSTNAME_GATEWAYS is false", {
          service,
          names,
        });
      }
    },
    addressesOf: source.addressesOf,
    [Symbol.dispose]: () => source[Symbol.dispose](),
  };
}
