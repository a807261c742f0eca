/** The revision that broke a request, found in a recording of the input. */
import assert from "node:assert/strict";
import { startRecording } from "../history/mod.ts";
import { DEFAULT_FEATURES, startTranslation } from "../../../tests/support/translation_fixture.ts";
import { outcomeChanges } from "./mod.ts";

const SHOP = Deno.readTextFileSync(
  new URL("../../../samples/incidents/shop.yaml", import.meta.url),
);
const POLICY = Deno.readTextFileSync(
  new URL("../../../samples/incidents/denied/policy.yaml", import.meta.url),
);
const ROUTES = Deno.readTextFileSync(
  new URL("../../../samples/incidents/shadowed/routes.yaml", import.meta.url),
);

function recording(): string {
  const bench = startTranslation();
  const lines: string[] = [];
  const recorder = startRecording({
    graph: bench.graph,
    tables: bench.translation.mesh.tables,
    options: { domain: "cluster.local", clusterId: "test", features: DEFAULT_FEATURES },
    clock: () => 1000,
    write: (line) => lines.push(line),
  });
  bench.translation.source.onPublish((_, revision) => recorder.note(revision));
  bench.set(SHOP);
  bench.set(ROUTES);
  bench.set(POLICY);
  bench.remove("AuthorizationPolicy", "shop/readers");
  return lines.map((line) => `${line}\n`).join("");
}

Deno.test("recording: each revision at which a request gets another outcome, with its edits", () => {
  const question = { from: "front.web", url: "http://items.example/items/7" };
  const changes = outcomeChanges(recording(), question);
  const found = changes.slice(-4).map(({ edits, after }) => [
    edits.length > 3 ? "many" : edits.join(),
    after?.outcome,
    after?.clusters.join(),
  ]);
  assert.deepEqual(found, [
    ["many", "allowed", "outbound|80||items.example"],
    ["VirtualService shop/items", "allowed", "outbound|80|v1|items.example"],
    ["AuthorizationPolicy shop/readers", "denied", "outbound|80|v1|items.example"],
    ["AuthorizationPolicy shop/readers", "allowed", "outbound|80|v1|items.example"],
  ]);
});

Deno.test("recording: texts that are none", () => {
  const question = { from: "front.web", url: "http://items.example/" };
  for (const text of ["", "x\n", "{}\nx\n", '{"form": 9}\n{"revision": 1, "rows": []}\n']) {
    assert.throws(
      () => outcomeChanges(text, question),
      /cannot be played|no JSON|no revision/,
      text,
    );
  }
});
