import assert from "node:assert/strict";
import { addressPatch, type EntryItem } from "./addresses.ts";

const known: Record<string, string[]> = { "a.test": ["240.240.0.1", "2001:2::f0f0:1"] };

function patch(spec: EntryItem["spec"], rest: Partial<EntryItem> = {}) {
  const item = { metadata: { name: "e" }, spec: { resolution: "DNS", ...spec }, ...rest };
  return addressPatch(item, (host) => known[host] ?? []);
}

Deno.test("hosts without addresses get those that proxies use, once", () => {
  const addresses = [
    { value: "240.240.0.1", host: "a.test" },
    { value: "2001:2::f0f0:1", host: "a.test" },
  ];
  assert.deepEqual(patch({ hosts: ["a.test", "*.b.test", "later.test"] }), addresses);
  assert.equal(patch({ hosts: ["a.test"] }, { status: { addresses } }), undefined);
});

Deno.test("addresses are removed from entries that have their own, or refuse them", () => {
  const status = { addresses: [{ value: "240.240.0.1", host: "a.test" }] };
  assert.deepEqual(patch({ hosts: ["a.test"], addresses: ["10.0.0.1"] }, { status }), []);
  assert.deepEqual(patch({ hosts: ["a.test"], resolution: "NONE" }, { status }), []);
  const labels = { "networking.mesh.io/enable-autoallocate-ip": "false" };
  assert.deepEqual(patch({ hosts: ["a.test"] }, { status, metadata: { name: "e", labels } }), []);
});
