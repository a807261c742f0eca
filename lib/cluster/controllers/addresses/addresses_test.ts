import assert from "node:assert/strict";
import { addressPatch, createAddressCheck, type EntryItem } from "./addresses.ts";

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

Deno.test("an entry is compared again only if it or its addresses changed", () => {
  let compared = 0;
  const entry = (status?: EntryItem["status"]): EntryItem => {
    const spec = { hosts: ["a.test"], resolution: "DNS" };
    return { metadata: { name: "e" }, spec, ...(status && { status }) };
  };
  let addresses: readonly string[] = known["a.test"]!;
  const check = createAddressCheck(() => addresses);
  const of = (item: EntryItem) => {
    const watched = new Proxy(item, {
      get(target, key) {
        if (key === "status") compared++;
        return Reflect.get(target, key);
      },
    });
    return (one = watched) => check.of(one);
  };
  const open = of(entry());
  assert.equal(open()?.length, 2);
  assert.equal(open()?.length, 2, "a write that failed is tried again");
  const done = of(entry({ addresses: open()! }));
  compared = 0;
  assert.equal(done(), undefined);
  assert.equal(done(), undefined);
  assert.equal(compared, 1);
  addresses = ["240.240.0.9"];
  assert.deepEqual(done(), [{ value: "240.240.0.9", host: "a.test" }]);
});
