/**
 * Readiness of the proxy: it has its configuration, and its workers run.
 *
 * @module
 */
import type { Admin } from "./admin.ts";

/** Checks the proxy's readiness. */
export interface Readiness {
  /**
   * Returns why the proxy is not ready, as a sentence; undefined: it is ready. Throws `MeshError`
   * `proxy-admin`.
   */
  check(): Promise<string | undefined>;
}

/** The start of an agent. */
export interface Start extends Readiness {
  /** Called when sockets and files for programs are there. */
  end(): void;
}

/** The readiness of an agent without a proxy: it is ready after its start. */
export function startReadiness(): Start {
  let hasEnded = false;
  return {
    check: () => Promise.resolve(hasEnded ? undefined : "the agent is starting"),
    end: () => {
      hasEnded = true;
    },
  };
}

/** States of the proxy, by the number it reports. */
const STATES = ["LIVE", "DRAINING", "PRE_INITIALIZING", "INITIALIZING"];

const CONFIG_STATS = "^(cluster_manager\\.cds|listener_manager\\.lds)\\.update_(success|rejected)$";
const SERVER_STATS = "^(server\\.state|listener_manager\\.workers_started)$";

/**
 * Checks the readiness of the proxy behind an admin API. A probe that succeeded once is not
 * repeated, because the proxy cannot lose that state. `draining` is checked each time.
 *
 * @param onReady called once, when the proxy is ready for the first time
 */
export function readinessOf(
  admin: Admin,
  draining: () => boolean,
  onReady: () => void,
): Readiness {
  let configured = false;
  let live = false;
  return {
    async check() {
      if (draining()) return "the proxy is draining";
      if (!configured) {
        const fault = configFault(await admin.stats(CONFIG_STATS));
        if (fault !== undefined) return fault;
        configured = true;
      }
      if (!live) {
        const fault = serverFault(await admin.stats(SERVER_STATS));
        if (fault !== undefined) return fault;
        live = true;
        onReady();
      }
      return undefined;
    },
  };
}

/** Returns why clusters or listeners are missing. */
export function configFault(stats: ReadonlyMap<string, number>): string | undefined {
  const states = [
    subscription("clusters", "cluster_manager.cds", stats),
    subscription("listeners", "listener_manager.lds", stats),
  ];
  const missing = states.filter((state) => state.state !== "received");
  if (missing.length === 0) return undefined;
  if (missing.every(({ state }) => state === "not received")) {
    return missing.length === states.length
      ? "no configuration received from the daemon; is it running and reachable?"
      : `configuration received in part: ${list(missing)}`;
  }
  return `configuration rejected by the proxy: ${list(missing)}; its log says why`;
}

interface Subscription {
  readonly what: string;
  readonly state: "received" | "rejected" | "not received";
}

function subscription(
  what: string,
  prefix: string,
  stats: ReadonlyMap<string, number>,
): Subscription {
  const count = (name: string) => stats.get(`${prefix}.update_${name}`) ?? 0;
  const state = count("success") > 0
    ? "received"
    : count("rejected") > 0
    ? "rejected"
    : "not received";
  return { what, state };
}

function list(subscriptions: readonly Subscription[]): string {
  return subscriptions.map(({ what, state }) => `${what} ${state}`).join(", ");
}

/** Returns why the server does not serve although it has its configuration. */
export function serverFault(stats: ReadonlyMap<string, number>): string | undefined {
  const state = stats.get("server.state");
  if (state === undefined) return "the proxy does not report its state yet";
  if (state !== 0) return `the proxy is not live; its state is ${STATES[state] ?? state}`;
  // A gauge at zero does not count as used, so it may be missing.
  if (stats.get("listener_manager.workers_started") !== 1) {
    return "the proxy's workers have not started";
  }
  return undefined;
}
