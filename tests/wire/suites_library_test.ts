/**
 * The gRPC library accepts the resources of a proxyless program in place of each proxy of every
 * golden suite.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { ProxyNode } from "../../lib/mesh/model/mod.ts";
import { loadLibrary } from "../support/grpc_library.ts";
import { readSuites, translateSuite } from "../support/suites.ts";

/** The same workload without a proxy. */
function asProgram(node: ProxyNode): ProxyNode {
  return { ...node, metadata: { ...node.metadata, GENERATOR: "grpc" } };
}

Deno.test("the gRPC library takes what programs are served under every golden suite", async () => {
  const judge = await loadLibrary();
  const refused: string[] = [];
  let taken = 0;
  for (const suite of readSuites()) {
    const sidecars = Object.entries(suite.proxies).filter(([, { role }]) => role === "sidecar");
    const proxies = Object.fromEntries(sidecars.map(([name, node]) => [name, asProgram(node)]));
    for (const [name, views] of translateSuite({ ...suite, proxies })) {
      const verdict = judge(views);
      taken += verdict.taken;
      refused.push(...verdict.refused.map((why) => `${suite.name}, ${name}: ${why}`));
    }
  }
  assert.ok(taken > 500, `${taken} resources`);
  assert.deepEqual(refused, []);
});
