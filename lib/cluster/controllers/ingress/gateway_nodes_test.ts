/** Addresses of the Nodes of a gateway's pods. */
import assert from "node:assert/strict";
import { type AddressedNode, nodeAddresses } from "./gateway_nodes.ts";

function node(...addresses: readonly [type: string, address: string][]): AddressedNode {
  const metadata = { name: "n" };
  return {
    metadata,
    status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
  };
}

const NODES: Readonly<Record<string, AddressedNode>> = {
  both: node(["InternalIP", "10.0.0.1"], ["ExternalIP", "192.0.2.1"], ["Hostname", "both"]),
  inside: node(["InternalIP", "10.0.0.2"], ["InternalIP", "fd00::2"]),
  named: node(["Hostname", "named"]),
};

const CASES: readonly [about: string, pods: readonly [node: string, phase: string][], string[]][] =
  [
    ["no pods", [], []],
    ["external addresses", [["both", "Running"]], ["192.0.2.1"]],
    ["internal addresses of Nodes without external ones", [["inside", "Running"]], [
      "10.0.0.2",
      "fd00::2",
    ]],
    ["pods that do not run", [["both", "Pending"], ["inside", "Succeeded"]], []],
    ["several pods of one Node, and unknown Nodes", [
      ["inside", "Running"],
      ["both", "Running"],
      ["both", "Running"],
      ["gone", "Running"],
      ["named", "Running"],
    ], ["10.0.0.2", "192.0.2.1", "fd00::2"]],
  ];

for (const [about, pods, addresses] of CASES) {
  Deno.test(`addresses of a gateway's Nodes: ${about}`, () => {
    const items = pods.map(([nodeName, phase], i) => ({
      metadata: { name: `p${i}` },
      spec: { nodeName },
      status: { phase },
    }));
    const found = nodeAddresses(items, (name) => NODES[name]);
    assert.deepEqual(found, addresses.map((ip) => ({ ip })));
  });
}
