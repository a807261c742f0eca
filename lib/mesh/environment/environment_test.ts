/**
 * Each variable of the bounds of memory and of debouncing, flipped in the environment.
 */
import assert from "node:assert/strict";
import { useEnvironment } from "../../kit/env/mod.ts";
import { readDebounceSettings, readKeep } from "./mod.ts";

const CLUSTER_TABLE = "cds.base";
const ROUTE_TABLE = "rds.base";

function keepWith(environment: Readonly<Record<string, string>>): ReturnType<typeof readKeep> {
  using _ = useEnvironment(environment);
  return readKeep();
}

Deno.test("the variables of the cache set what is kept for proxies that reconnect", () => {
  const { cells, bytes, collections, never } = keepWith({});
  assert.deepEqual([cells, bytes, never], [60_000, 32 * 1024 * 1024, undefined]);
  assert.ok(collections > 0);
  assert.deepEqual(keepWith({ PILOT_ENABLE_XDS_CACHE: "false" }), { collections: 0, cells: 0 });
  assert.equal(keepWith({ PILOT_XDS_CACHE_SIZE: "7" }).cells, 7);
  assert.equal(keepWith({ MESH_XDS_CACHE_BYTES: "8" }).bytes, 8);
  const clusters = keepWith({ PILOT_ENABLE_CDS_CACHE: "false" }).never!;
  assert.deepEqual([clusters(CLUSTER_TABLE), clusters(ROUTE_TABLE)], [true, false]);
  const routes = keepWith({ PILOT_ENABLE_RDS_CACHE: "false" }).never!;
  assert.deepEqual([routes(CLUSTER_TABLE), routes(ROUTE_TABLE)], [false, true]);
});

Deno.test("the variables of debouncing set its times", () => {
  const before = readDebounceSettings();
  using _ = useEnvironment({
    PILOT_DEBOUNCE_AFTER: "7ms",
    PILOT_DEBOUNCE_MAX: "9s",
    PILOT_ENABLE_EDS_DEBOUNCE: "false",
  });
  const after = readDebounceSettings();
  const changed = Object.entries(after).filter(([name, value]) =>
    value !== before[name as keyof typeof before]
  );
  assert.deepEqual(changed.map(([, value]) => value).sort(), [7, 9000, false].sort());
});
