import assert from "node:assert/strict";
import fc from "fast-check";
import { clusterName, dnsSrvClusterName, inboundClusterName } from "./cluster_names.ts";
import { parseClusterName } from "../../model/mod.ts";

Deno.test("names of clusters", () => {
  assert.equal(clusterName("outbound", 80, "v1", "a.b"), "outbound|80|v1|a.b");
  assert.equal(clusterName("outbound", 80, "", "a.b"), "outbound|80||a.b");
  assert.equal(inboundClusterName(8080), "inbound|8080||");
  assert.equal(dnsSrvClusterName("outbound", 80, "v1", "a.b"), "outbound_.80_.v1_.a.b");
});

const parts = fc.record(
  {
    direction: fc.constantFrom("inbound" as const, "outbound" as const, "inbound-vip" as const),
    port: fc.integer({ min: 1, max: 65535 }),
    subset: fc.stringMatching(/^[a-z0-9-]{0,10}$/),
    host: fc.stringMatching(/^(\*\.)?[a-z0-9-]{1,10}(\.[a-z0-9-]{1,10}){0,3}$/),
  },
  { noNullPrototype: true },
);

Deno.test("a name of either form reads back", () => {
  fc.assert(fc.property(parts, (p) => {
    for (const form of [clusterName, dnsSrvClusterName]) {
      assert.deepEqual(parseClusterName(form(p.direction, p.port, p.subset, p.host)), p);
    }
  }));
});

Deno.test("other text is no name", () => {
  for (
    const text of ["", "PassthroughCluster", "outbound|80|v1", "outbound|x||a", "sideways|1||a"]
  ) {
    assert.equal(parseClusterName(text), undefined, text);
  }
  assert.equal(parseClusterName("outbound|65536||a"), undefined);
});
