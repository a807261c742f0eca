/**
 * Keys of token issuers: fetched as the configuration asks for them.
 *
 * @module
 */
import { declareEnv } from "../../lib/env/mod.ts";
import { startKeySource } from "../../lib/sources/mod.ts";
import type { ChangeSet, Translation } from "../../lib/translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const PILOT_JWT_PUB_KEY_REFRESH_INTERVAL = declareEnv({
  name: "PILOT_JWT_PUB_KEY_REFRESH_INTERVAL",
  type: "duration",
  default: 20 * 60_000,
  range: { least: 1_000 },
  doc: "Time after which the daemon fetches the keys of a jwksUri again.",
  readers,
});

const JWKS_RESOLVER_INSECURE_SKIP_VERIFY = declareEnv({
  name: "JWKS_RESOLVER_INSECURE_SKIP_VERIFY",
  type: "bool",
  default: false,
  doc: "Do not verify the certificate of the server that keys are fetched from.",
  readers,
});

const JWKS_ALLOWED_CIDRS = declareEnv({
  name: "JWKS_ALLOWED_CIDRS",
  type: "string",
  default: "",
  doc:
    "Private, loopback or link-local ranges, separated by commas, from which the daemon may fetch keys and trust bundles.",
  readers,
});

/** Ranges inside that are fetched from. */
export function allowedRanges(): string[] {
  return JWKS_ALLOWED_CIDRS.get().split(",").map((one) => one.trim()).filter((one) => one);
}

/**
 * Starts fetching the keys that a translation wants; dispose of it to stop.
 *
 * @param onKeys called with what came anew
 */
export function startKeySets(
  translation: Pick<Translation, "wantedKeySets">,
  onKeys: (keySets: NonNullable<ChangeSet["keySets"]>) => void,
): Disposable {
  const source = startKeySource({
    refreshMs: PILOT_JWT_PUB_KEY_REFRESH_INTERVAL.get(),
    insecure: JWKS_RESOLVER_INSECURE_SKIP_VERIFY.get(),
    allowed: allowedRanges(),
    onKeys,
  });
  const watch = translation.wantedKeySets((uris) => source.want(uris));
  source.want(watch.value);
  return {
    [Symbol.dispose]: () => {
      watch.close();
      source[Symbol.dispose]();
    },
  };
}
