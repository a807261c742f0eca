import assert from "node:assert/strict";
import { useEnvironment } from "../../kit/env/mod.ts";
import { readWasmEnv } from "./variables.ts";

Deno.test("the variables of Wasm modules set how they are fetched and kept", () => {
  const before = readWasmEnv();
  assert.deepEqual([before.converts, before.insecure], [true, []]);
  using _ = useEnvironment({
    MESH_AGENT_ENABLE_WASM_REMOTE_LOAD_CONVERSION: "false",
    WASM_HTTP_REQUEST_MAX_RETRIES: "7",
    WASM_HTTP_REQUEST_TIMEOUT: "8s",
    WASM_INSECURE_REGISTRIES: "a.test, b.test:1",
    WASM_MODULE_EXPIRY: "9h",
    WASM_PURGE_INTERVAL: "10m",
  });
  assert.deepEqual(readWasmEnv(), {
    converts: false,
    maxRetries: 7,
    timeoutMs: 8_000,
    insecure: ["a.test", "b.test:1"],
    expiryMs: 9 * 3_600_000,
    purgeMs: 600_000,
  });
});
