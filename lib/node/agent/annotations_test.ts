/** No annotation that the agent reads is silent: each changes the bootstrap file. */
import assert from "node:assert/strict";
import { planAgent } from "./plan.ts";
import { testSettings } from "../../../tests/support/agent_settings.ts";

const CASES: readonly (readonly [annotation: string, value: string, found: string])[] = [
  ["sidecar.mesh.io/extraStatTags", "own_tag", '"own_tag"'],
  ["sidecar.mesh.io/statsCompression", "zstd", "zstd"],
  ["sidecar.mesh.io/statsEvictionInterval", "35s", '"35s"'],
  ["sidecar.mesh.io/statsFlushInterval", "7s", '"7s"'],
  ["sidecar.mesh.io/statsHistogramBins", '{"own":50}', '"bins":50'],
  ["sidecar.mesh.io/statsHistogramBuckets", '{"own":[1,7]}', '"buckets":[1,7]'],
  ["sidecar.mesh.io/statsInclusionPrefixes", "own_prefix", '"own_prefix"'],
  ["sidecar.mesh.io/statsInclusionRegexps", "own_regexp.*", '"own_regexp.*"'],
  ["sidecar.mesh.io/statsInclusionSuffixes", "own_suffix", '"own_suffix"'],
];

for (const [annotation, value, found] of CASES) {
  Deno.test(`annotation ${annotation} changes the bootstrap file: ${value}`, () => {
    const bootstrap = (annotations: Record<string, string>): string =>
      JSON.stringify(JSON.parse(planAgent(testSettings({ annotations })).bootstrap));
    // The metadata of the node has all annotations.
    const withoutNode = (text: string) =>
      text.replaceAll(JSON.stringify({ [annotation]: value }), "");
    assert.ok(withoutNode(bootstrap({ [annotation]: value })).includes(found));
    assert.ok(!bootstrap({}).includes(found));
  });
}

Deno.test("bins and buckets of a prefix are one setting; other forms are left out and named", () => {
  const settings = (annotations: Record<string, string>): unknown =>
    (JSON.parse(planAgent(testSettings({ annotations })).bootstrap) as {
      stats_config: { histogram_bucket_settings: unknown };
    }).stats_config.histogram_bucket_settings;
  const bins = "sidecar.mesh.io/statsHistogramBins";
  const annotations = {
    "sidecar.mesh.io/statsHistogramBuckets": '{"a":[1]}',
    [bins]: '{"b":10,"a":50}',
  };
  assert.deepEqual(settings(annotations), [
    { match: { prefix: "a" }, buckets: [1], bins: 50 },
    { match: { prefix: "b" }, bins: 10 },
  ]);
  for (const wrong of ["50", '{"a":0}', '{"a":1.5}', "{"]) {
    const { unread } = planAgent(testSettings({ annotations: { [bins]: wrong } }));
    assert.deepEqual([...unread.keys()], [`annotation ${bins}`]);
    assert.equal(settings({ [bins]: wrong }), undefined);
  }
});
