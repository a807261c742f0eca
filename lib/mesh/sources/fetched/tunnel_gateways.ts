/**
 * Source of the addresses of gateways that take tunnels into a network and have host names. Node proxies resolve such
 * names themselves; other proxies are sent addresses.
 *
 * @module
 */
import type { Intake } from "../../ingest/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { RESOLVE_HOSTNAME_GATEWAYS } from "../variables.ts";
import type { WatchNames } from "./refresh.ts";
import { type Resolve, startNameSource } from "./names.ts";

const log = scope("networks");

/**
 * Starts to resolve the names; disposing ends it. With `RESOLVE_HOSTNAME_GATEWAYS=false` no name is looked up.
 *
 * @param resolve looks up a name; default: the name servers of the system
 */
export function resolveTunnelGateways(
  names: WatchNames,
  intake: Pick<Intake, "settings" | "synced">,
  resolve?: Resolve,
): Disposable {
  let wanted: readonly string[] = [];
  const source = startNameSource({
    ...(resolve === undefined ? {} : { resolve }),
    onFailure: (name, error) =>
      log.warn("a network's gateway is not resolved: sidecars and waypoints do not reach it", {
        name,
        error,
      }),
    onChange: () =>
      intake.settings({
        gatewayNames: new Map(wanted.map((name) => [name, source.addressesOf(name)])),
      }),
  });
  const request = (all: readonly string[]): void => {
    wanted = all;
    if (RESOLVE_HOSTNAME_GATEWAYS.get()) return source.request(all);
    for (const name of all) {
      log.warn("a network's gateway is a host name, and RESOLVE_HOSTNAME_GATEWAYS is false", {
        name,
      });
    }
  };
  const watch = names(request);
  request(watch.value);
  intake.synced();
  return {
    [Symbol.dispose]: () => {
      watch.close();
      source[Symbol.dispose]();
    },
  };
}
