import assert from "node:assert/strict";
import { TAINT, untaintedNodes } from "./untaint.ts";

function pod(nodeName: string, status: string, metadata: Record<string, unknown> = {}) {
  return {
    metadata: { name: "p", ...metadata },
    spec: { nodeName },
    status: { conditions: [{ type: "Ready", status }] },
  };
}

const NODE = { metadata: { name: "n" }, spec: { taints: [{ key: TAINT }, { key: "other" }] } };

Deno.test("a node with a ready pod of the plugin loses this taint alone", () => {
  assert.deepEqual(untaintedNodes([NODE], [pod("n", "True")]), [
    { node: NODE, taints: [{ key: "other" }] },
  ]);
});

Deno.test("other nodes keep their taint", () => {
  assert.deepEqual(untaintedNodes([NODE], [pod("n", "False"), pod("m", "True")]), []);
  const ending = pod("n", "True", { deletionTimestamp: "2026-01-01T00:00:00Z" });
  assert.deepEqual(untaintedNodes([NODE], [ending]), []);
  assert.deepEqual(untaintedNodes([{ metadata: { name: "n" } }], [pod("n", "True")]), []);
});
