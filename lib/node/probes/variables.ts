/**
 * Environment variables of probes.
 *
 * @module
 */
import { declareEnv } from "../../kit/env/mod.ts";

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

const HTTP2 = declareEnv({
  name: "MESH_ENABLE_HTTP2_PROBING",
  type: "bool",
  default: true,
  doc: "Offer HTTP/2 in HTTPS probes; applications without it are asked over HTTP/1.1.",
  readers,
});

/** Values of the variables. */
export interface ProbesEnv {
  /** Undefined or empty: the application has no probes. */
  readonly table: string | undefined;
  readonly localhost: boolean;
  readonly keepAlive: boolean;
  readonly http2: boolean;
}

/** Reads them. */
export function readProbesEnv(): ProbesEnv {
  return {
    table: TABLE.get(),
    localhost: LOCALHOST.get(),
    keepAlive: KEEP_ALIVE.get(),
    http2: HTTP2.get(),
  };
}
