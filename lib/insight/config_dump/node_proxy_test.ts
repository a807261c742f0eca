/** Tables of dumps of the node proxy, of versions that write maps and of those that write lists. */
import assert from "node:assert/strict";
import {
  certificateTable,
  connectionTable,
  namesIn,
  parseNodeDump,
  serviceTable,
  statesOf,
  workloadTable,
} from "./node_proxy.ts";

const WORKLOAD = {
  name: "web-1",
  namespace: "shop",
  workloadIps: ["10.0.0.1"],
  node: "n1",
  protocol: "HBONE",
  waypoint: { destination: "shop/way.example", port: 15008 },
};
const SERVICE = {
  name: "way",
  namespace: "shop",
  hostname: "way.example",
  vips: ["net/10.96.0.1"],
  endpoints: { a: { status: "Healthy" }, b: { status: "Unhealthy" } },
};

for (const form of ["lists", "maps"] as const) {
  Deno.test(`tables of a node proxy's dump with ${form}`, () => {
    const of = (one: object) => form === "lists" ? [one] : { key: one };
    const text = JSON.stringify({ workloads: of(WORKLOAD), services: of(SERVICE) });
    const dump = parseNodeDump(text, "dump");
    assert.deepEqual(workloadTable(dump, dump.workloads).rows, [
      ["shop", "web-1", "10.0.0.1", "n1", "way", "HBONE"],
    ]);
    assert.deepEqual(serviceTable(dump, dump.services).rows, [
      ["shop", "way", "10.96.0.1", "None", "1/2"],
    ]);
    const states = {
      u: {
        state: "Up",
        info: { name: "web-1", namespace: "shop" },
        connections: {
          inbound: [],
          outbound: [{ src: "10.0.0.1:1", actualDst: "10.96.0.1:80", originalDst: null }],
        },
      },
    };
    const more = parseNodeDump(JSON.stringify({ ...JSON.parse(text), workloadState: states }), "d");
    assert.deepEqual(connectionTable(statesOf(more, {}), namesIn(more)).rows, [
      ["web-1.shop", "Outbound", "web-1.shop:1", "way.example:80", "", ""],
    ]);
    assert.deepEqual(connectionTable(statesOf(more, { direction: "inbound" })).rows, []);
  });
}

Deno.test("certificates: serial numbers in hexadecimal, and states without certificates", () => {
  const chain = [{ serialNumber: "255", validFrom: "a", expirationTime: "b" }];
  const rows = certificateTable([
    { identity: "spiffe://x", state: "Available", certChain: chain },
    { identity: "spiffe://y", state: { Unavailable: "no" }, certChain: [] },
    { identity: "spiffe://z", state: "Unavailable: signing: no", certChain: [] },
  ], (begin, end) => begin === "a" && end === "b").rows;
  assert.deepEqual(rows, [
    ["spiffe://x", "Leaf", "Available", "true", "ff", "b", "a"],
    ["spiffe://y", "NA", "Unavailable", "false", "NA", "NA", "NA"],
    ["spiffe://z", "NA", "Unavailable", "false", "NA", "NA", "NA"],
  ]);
});

Deno.test("other documents are no dump of the node proxy", () => {
  assert.throws(() => parseNodeDump("{configs: []}", "x"), /x is not a dump of the node proxy/);
});
