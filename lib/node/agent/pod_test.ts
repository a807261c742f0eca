import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { parsePairs, readPairs } from "./pod.ts";

Deno.test("pairs are read as the orchestrator writes them", () => {
  const text = String.raw`app="shop"
proxy.mesh.io/config="concurrency: 1\nproxyMetadata:\n  \"A\": b=c\n"
odd="\a\x07\U0001f600é\\n"

`;
  assert.deepEqual(parsePairs(text, "labels"), {
    app: "shop",
    "proxy.mesh.io/config": 'concurrency: 1\nproxyMetadata:\n  "A": b=c\n',
    odd: "\u0007\u0007\u{1f600}é\\n",
  });
});

for (const line of ["app=shop", '="x"', "app", 'app="open', 'app="\\q"']) {
  Deno.test(`the line ${line} is refused with its number`, () => {
    assert.throws(
      () => parsePairs(`a="b"\n${line}\n`, "labels"),
      (error) => error instanceof MeshError && error.message.includes("labels, line 2"),
    );
  });
}

Deno.test("a file that is not there holds nothing", async () => {
  assert.deepEqual(await readPairs("/nowhere/labels"), {});
});
