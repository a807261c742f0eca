import assert from "node:assert/strict";
import type { Resource } from "../../graph/mod.ts";
import { batchCache } from "./batch_cache.ts";

const MIB = 1024 * 1024;

function resources(count: number, size = 1): Resource[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `r${i}`,
    version: String(i),
    bytes: new Uint8Array(size),
  }));
}

/** A cache, and an encoder that counts its calls. */
function counting() {
  const store = batchCache();
  const made: string[] = [];
  const join = store.join((run) => {
    made.push(run.map(({ name }) => name).join());
    return new Uint8Array(run.reduce((sum, { bytes }) => sum + bytes.length, 0));
  });
  return { store, made, join };
}

Deno.test("batches: the same resources are put together once, in whatever list they come", () => {
  const { store, made, join } = counting();
  const all = resources(3);
  const bytes = join(all);
  assert.equal(join([...all]), bytes);
  assert.notEqual(join(all.slice(0, 2)), bytes);
  assert.notEqual(join([all[0]!, all[2]!, all[1]!]), bytes);
  const renewed = [all[0]!, all[1]!, { ...all[2]!, version: "new" }];
  assert.notEqual(join(renewed), bytes, "another resource of the same name");
  assert.equal(join(all), bytes);
  assert.equal(made.length, 4);
  assert.equal(store.bytes, 11);
});

Deno.test("batches: nothing is kept after the last response", () => {
  const { store, made, join } = counting();
  const all = resources(2);
  join(all);
  store.rest();
  assert.equal(store.bytes, 0);
  join(all);
  assert.equal(made.length, 2);
});

Deno.test("batches: no more than 16 MiB are kept, and what was used last", () => {
  const { store, made, join } = counting();
  const all = resources(20, MIB);
  for (const one of all) {
    join([one]);
    join([all[0]!]);
  }
  assert.equal(made.length, 20);
  assert.equal(store.bytes, 16 * MIB);
  join([all[1]!]);
  assert.equal(made.length, 21, "the second was used longest ago");
  assert.equal(join([{ ...all[0]!, bytes: new Uint8Array(17 * MIB) }]).length, 17 * MIB);
  assert.ok(store.bytes <= 16 * MIB, "what is larger than all that is kept is not kept");
});
