/**
 * Environment variables of probes.
 *
 * @module
 */
import { declareEnv } from "../env/mod.ts";

const readers = ["pilot-agent"] as const;

const TABLE = declareEnv({
  name: "MESH_ORCH_APP_PROBERS",
  type: "string",
  doc: "The application's probes, as JSON, that the agent runs.",
  readers,
});
const LOCALHOST = declareEnv({
  name: "REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION",
  type: "bool",
  default: false,
  doc: "Send probes to localhost instead of the pod's address.",
  readers,
});
const KEEP_ALIVE = declareEnv({
  name: "ENABLE_PROBE_KEEPALIVE_CONNECTIONS",
  type: "bool",
  default: false,
  doc: "Keep the connection to the application between two probes.",
  readers,
});

/** Values of the variables. */
export interface ProbesEnv {
  /** Undefined or empty: the application has no probes. */
  readonly table: string | undefined;
  readonly localhost: boolean;
  readonly keepAlive: boolean;
}

/** Reads them. */
export function readProbesEnv(): ProbesEnv {
  return { table: TABLE.get(), localhost: LOCALHOST.get(), keepAlive: KEEP_ALIVE.get() };
}
