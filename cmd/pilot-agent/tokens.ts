/**
 * The security token service of the agent (`--stsPort`).
 *
 * @module
 */
import { openListener } from "../../lib/kit/cli/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import { stsRoutes, tokenExchange } from "../../lib/node/sts/mod.ts";
import { startWeb } from "../../lib/kit/web/mod.ts";

const log = scope("security");

/** Time for pending responses when the agent ends, ms. */
const GRACE_MS = 1000;

/** Settings of the service. */
export interface TokenServiceOptions {
  /** 0: no service. */
  readonly stsPort: number;
  /** Empty: the default plugin. */
  readonly tokenManagerPlugin: string;
}

/**
 * Starts the service on loopback; the returned function ends it.
 *
 * @throws MeshError for a plugin that cannot be used, and a port that is in use
 */
export async function startTokenService(
  { stsPort, tokenManagerPlugin }: TokenServiceOptions,
): Promise<() => Promise<void>> {
  if (stsPort === 0) {
    if (tokenManagerPlugin !== "") log.warn("--tokenManagerPlugin has no effect without --stsPort");
    return () => Promise.resolve();
  }
  const routes = stsRoutes(tokenExchange(tokenManagerPlugin));
  const address = `localhost:${stsPort}`;
  const server = await openListener(
    { by: "--stsPort", address, remedy: "Choose another port." },
    () => startWeb({ name: "sts", address, routes }),
  );
  log.info("serving tokens", { address });
  return () => server.stop(GRACE_MS);
}
