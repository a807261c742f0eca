/**
 * The application's probes of `pilot-agent proxy`.
 *
 * @module
 */
import type { AgentSettings } from "../../lib/node/agent/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { parseProbes, proberOf, probeRoutes, readProbesEnv } from "../../lib/node/probes/mod.ts";
import type { Route } from "../../lib/kit/web/mod.ts";

/** Routes of the status server, and the connections behind them. */
export interface AgentProbes {
  readonly routes: readonly Route[];
  /** Closes kept connections. */
  stop(): void;
}

/**
 * Reads the application's probes from the variables.
 *
 * @throws MeshError `agent-probes`
 */
export function openProbes({ environ, addresses }: AgentSettings): AgentProbes {
  const env = (() => {
    using _ = useEnvironment(new Map(Object.entries(environ)));
    return readProbesEnv();
  })();
  const loopback = addresses.ipv6Only ? "::1" : "127.0.0.1";
  const prober = proberOf({
    address: env.localhost ? loopback : addresses.ips[0] ?? loopback,
    own: addresses.ips,
    keepAlive: env.keepAlive,
    http2: env.http2,
  });
  const table = env.table ? parseProbes(env.table) : new Map();
  return { routes: probeRoutes(table, prober), stop: () => prober.close() };
}
