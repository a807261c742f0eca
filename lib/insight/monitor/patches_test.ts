import assert from "node:assert/strict";
import { expose } from "../../kit/metrics/mod.ts";
import { serviceEntry } from "../../../tests/support/manifest.ts";
import { proxyNode, startTranslation } from "../../../tests/support/translation_fixture.ts";
import { observePatches, patchWarnings } from "./patches.ts";

const FILTER = (timeout: string) =>
  `apiVersion: networking.mesh.io/v1alpha3
kind: DataproxyFilter
metadata: {name: f, namespace: test}
spec:
  configPatches:
  - applyTo: CLUSTER
    match: {cluster: {service: a.test}}
    patch: {operation: MERGE, value: {connectTimeout: ${timeout}}}
`;

Deno.test("patches that do not apply are warnings at their position, and are counted if that is enabled", async () => {
  const { translation, set } = startTranslation();
  observePatches(translation);
  const binding = translation.source.bind(proxyNode("test"), () => {});
  const look =
    () => [...binding.view("type.googleapis.com/envoy.config.cluster.v3.Cluster")!.entries()];
  set(serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, []));
  set(FILTER("0s"));
  look();
  const [warning, ...others] = patchWarnings(translation);
  assert.deepEqual(others, []);
  assert.equal(warning?.path, "spec.configPatches[0]");
  assert.equal(warning?.object?.name, "f");
  assert.equal(
    warning?.message,
    "left out of cluster outbound|80||a.test: connectTimeout is too short",
  );
  const status = async () => {
    const { body } = await expose();
    const lines = body.matchAll(/^pilot_dataproxy_filter_status\{(.*)\} (\d+)/gm);
    return [...lines].map(([, labels, value]) => `${labels} ${value}`).sort();
  };
  assert.deepEqual(await status(), [], "off by default");
  Deno.env.set("PILOT_DATAPROXY_FILTER_STATS", "true");
  try {
    const labels = 'name="test/f",type="cluster",result=';
    assert.deepEqual(await status(), [`${labels}"applied" 0`, `${labels}"failed" 1`]);
    set(FILTER("3s"));
    look();
    assert.deepEqual(await status(), [`${labels}"applied" 1`, `${labels}"failed" 0`]);
  } finally {
    Deno.env.delete("PILOT_DATAPROXY_FILTER_STATS");
  }
  assert.deepEqual(patchWarnings(translation), []);
  binding.close();
});
