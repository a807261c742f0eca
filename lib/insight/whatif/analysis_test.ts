import assert from "node:assert/strict";
import {
  documents,
  endpoint,
  manifest,
  serviceEntry,
  to,
} from "../../../tests/support/manifest.ts";
import { DEFAULT_FEATURES, startTranslation } from "../../../tests/support/translation_fixture.ts";
import { createPipeline } from "../../mesh/translate/mod.ts";
import { createWhatIf, type Prediction, renderPrediction } from "./mod.ts";

const SERVICE = serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, [
  endpoint(1, { version: "v1" }),
  endpoint(2, { version: "v2" }),
]);
const rule = (...versions: readonly string[]) =>
  manifest("DestinationRule", "a", {
    host: "a.test",
    subsets: versions.map((name) => ({ name, labels: { version: name } })),
  });
const routes = (name: string) =>
  manifest("VirtualService", name, { hosts: [`${name}.test`], http: [to("a.test", "v2")] });

async function predicted(live: string, edit: string, removals: string[] = []): Promise<Prediction> {
  const bench = startTranslation();
  bench.set(live);
  const whatIf = createWhatIf({
    live: bench,
    make: (graph) =>
      createPipeline(graph, {
        domain: "cluster.local",
        clusterId: "test",
        features: DEFAULT_FEATURES,
      }),
    sessions: () => [],
  });
  const answer = await whatIf.ask({ documents: edit, removals }, new AbortController().signal);
  assert.equal(answer.kind, "predicted", JSON.stringify(answer));
  return (answer as { prediction: Prediction }).prediction;
}

const LIVE = documents(SERVICE, rule("v1", "v2"), routes("one"), routes("two"));

Deno.test("what-if: an edit that removes a subset names the routes that use it", async () => {
  const prediction = await predicted(LIVE, rule("v1"));
  assert.deepEqual(
    prediction.analysis.added.map(({ code, object }) => `${code} ${object?.kind} ${object?.name}`),
    ["MSH0101 VirtualService one", "MSH0101 VirtualService two"],
  );
  assert.deepEqual(prediction.analysis.removed, []);
  const text = renderPrediction(prediction);
  assert.match(
    text,
    /would add MSH0101 The subset that is referred to does not exist: "a\.test\/v2"\n {4}VirtualService\/test\/one spec\.http\[0\]\.\S+\n {4}VirtualService\/test\/two /,
  );
});

Deno.test("what-if: an edit that repairs a reference says so", async () => {
  const { analysis } = await predicted(
    documents(SERVICE, rule("v1"), routes("one")),
    rule("v1", "v2"),
  );
  assert.deepEqual([analysis.added, analysis.removed.length], [[], 1]);
});

Deno.test("what-if: a removed service is missed by its rule and routes", async () => {
  const { analysis } = await predicted(LIVE, "", ["ServiceEntry/test/a"]);
  assert.deepEqual(analysis.added.map(({ code, object }) => `${code} ${object?.name}`), [
    "MSH0174 a",
    "MSH0101 one",
    "MSH0101 two",
  ]);
});
