/** The binding of node proxies for explanations: shared by questions, and released without them. */
import assert from "node:assert/strict";
import { debugInputs } from "../../../tests/support/debug_inputs.ts";
import { featuresWith, startTranslation } from "../../../tests/support/translation_fixture.ts";
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import { AddressSchema } from "#mesh/workload/workload_pb.ts";
import { XDS_TYPES } from "../../mesh/model/mod.ts";
import { nodeProxyOf } from "./node_proxy.ts";

const ENTRY = `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: w, namespace: shop}
spec: {address: 10.0.0.1}
`;

Deno.test("node proxies: questions share a binding, which is released when nobody asks", () => {
  const ambient = featuresWith({ PILOT_ENABLE_AMBIENT: "true" });
  const bench = startTranslation(defaultMeshConfig(), ambient);
  bench.set(ENTRY);
  const seen: string[] = [];
  const due: (() => void)[] = [];
  let now = 0;
  const inputs = debugInputs({
    mesh: bench.mesh,
    bind: (node) => {
      seen.push("bound");
      const binding = bench.translation.source.bind(node, () => {});
      return {
        classKey: binding.classKey,
        view: (url) => binding.view(url),
        close: () => {
          seen.push("closed");
          binding.close();
        },
      };
    },
    now: () => now,
    later: (_, run) => void due.push(run),
  });
  const decoded = () => {
    const { nodeProxy, nodeProxyDecode } = nodeProxyOf(inputs);
    return [...nodeProxy!(XDS_TYPES.address.url, "")!.entries()]
      .map(({ bytes }) => nodeProxyDecode!(AddressSchema, bytes));
  };
  const [first] = decoded();
  assert.equal(first?.type.case, "workload");
  now = 200_000;
  assert.equal(decoded()[0], first, "one version is decoded once");
  bench.set(ENTRY.replace("10.0.0.1", "10.0.0.2"));
  assert.notEqual(decoded()[0], first, "another version");
  now = 300_000;
  due.shift()!();
  assert.deepEqual(seen, ["bound"], "somebody asked meanwhile");
  now = 600_000;
  due.shift()!();
  assert.deepEqual([seen, due.length], [["bound", "closed"], 0]);
  assert.equal(decoded().length, 1);
  assert.deepEqual(seen, ["bound", "closed", "bound"]);
});
