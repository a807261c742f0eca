/**
 * Source of key sets: the keys of token issuers, fetched from the addresses that the configuration
 * names, or that the issuers' discovery documents name.
 *
 * @module
 */
import type { Intake } from "../../ingest/mod.ts";
import {
  JWKS_ALLOWED_CIDRS,
  JWKS_RESOLVER_INSECURE_SKIP_VERIFY,
  PILOT_JWT_PUB_KEY_REFRESH_INTERVAL,
} from "../variables.ts";
import { startKeySource } from "./keys.ts";
import type { FetchFault, WatchNames } from "./refresh.ts";

/** Reads the ranges of internal addresses that may be fetched from. */
export function allowedRanges(): string[] {
  return JWKS_ALLOWED_CIDRS.get().split(",").map((one) => one.trim()).filter((one) => one);
}

/** Key sets that are fetched. */
export interface FetchedKeySets extends Disposable {
  /** The key sets that cannot be fetched now, by name. */
  faults(): FetchFault[];
}

/**
 * Starts to fetch key sets; disposing ends it. Keys that cannot be fetched yet are reported later.
 *
 * @param names see `keySetName`
 */
export function startKeySets(
  names: WatchNames,
  intake: Pick<Intake, "settings" | "synced">,
): FetchedKeySets {
  const source = startKeySource({
    refreshMs: PILOT_JWT_PUB_KEY_REFRESH_INTERVAL.get(),
    insecure: JWKS_RESOLVER_INSECURE_SKIP_VERIFY.get(),
    allowed: allowedRanges(),
    onKeys: (keySets) => intake.settings({ keySets }),
  });
  const watch = names((all) => source.request(all));
  source.request(watch.value);
  intake.synced();
  return {
    faults: () => source.faults(),
    [Symbol.dispose]: () => {
      watch.close();
      source[Symbol.dispose]();
    },
  };
}
