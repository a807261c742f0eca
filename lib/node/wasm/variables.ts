/**
 * Environment variables of fetching Wasm modules.
 *
 * @module
 */
import { declareEnv } from "../../kit/env/mod.ts";

const readers = ["pilot-agent"] as const;

const CONVERSION = declareEnv({
  name: "MESH_AGENT_ENABLE_WASM_REMOTE_LOAD_CONVERSION",
  type: "bool",
  default: true,
  doc: "Fetch Wasm modules for the proxy and give it local files.",
  readers,
});
const RETRIES = declareEnv({
  name: "WASM_HTTP_REQUEST_MAX_RETRIES",
  type: "int",
  default: 5,
  range: { least: 0, most: 100 },
  doc: "Retries of fetching a module.",
  readers,
});
const TIMEOUT = declareEnv({
  name: "WASM_HTTP_REQUEST_TIMEOUT",
  type: "duration",
  default: "15s",
  range: { least: 1 },
  doc: "Time limit of one attempt to fetch a module.",
  readers,
});
const INSECURE = declareEnv({
  name: "WASM_INSECURE_REGISTRIES",
  type: "string",
  doc:
    "Registries and hosts that modules may come from without verification, separated by commas; `*` is all.",
  readers,
});
const EXPIRY = declareEnv({
  name: "WASM_MODULE_EXPIRY",
  type: "duration",
  default: "24h0m0s",
  range: { least: 1 },
  doc: "Time that an unused module is cached.",
  readers,
});
const PURGE = declareEnv({
  name: "WASM_PURGE_INTERVAL",
  type: "duration",
  default: "1h0m0s",
  range: { least: 1 },
  doc: "Interval at which expired modules are removed.",
  readers,
});

/** Values of the variables. */
export interface WasmEnv {
  /** False: the proxy fetches modules itself. */
  readonly converts: boolean;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  /** `host` or `host:port`; `*`: all. */
  readonly insecure: readonly string[];
  readonly expiryMs: number;
  readonly purgeMs: number;
}

/** Reads them. */
export function readWasmEnv(): WasmEnv {
  return {
    converts: CONVERSION.get(),
    maxRetries: RETRIES.get(),
    timeoutMs: TIMEOUT.get(),
    insecure: (INSECURE.get() ?? "").split(",").map((host) => host.trim()).filter((host) => host),
    expiryMs: EXPIRY.get(),
    purgeMs: PURGE.get(),
  };
}
