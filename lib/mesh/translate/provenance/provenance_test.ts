/** Provenance, by cases in files: configuration, request and expected result. */
import assert from "node:assert/strict";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { assertGolden } from "../../../../tests/support/golden.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import type { ProxyNode } from "../../model/mod.ts";
import { fromJson } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";
import { provenanceOf, suspectsOf } from "./provenance.ts";

const CASES = new URL("./cases/", import.meta.url);

/** The requesting proxies. */
const PROXIES: Readonly<Record<string, ProxyNode>> = {
  client: proxyNode("client"),
  workload: proxyNode("shop", { ip: "10.0.0.1" }),
  gateway: proxyNode("client", { role: "router", labels: { app: "gw" } }),
};

/** The head of a case: `# ask: PROXY TYPE NAME`, `# mesh: {…}` (JSON). */
function headOf(text: string): { proxy: string; type: string; name: string; mesh: string } {
  const [, proxy = "", type = "", name = ""] = /^# ask: (\S+) (\S+) (\S+)$/m.exec(text) ?? [];
  return { proxy, type, name, mesh: /^# mesh: (.*)$/m.exec(text)?.[1] ?? "" };
}

for (
  const { name: folder } of [...Deno.readDirSync(CASES)].sort((a, b) => a.name < b.name ? -1 : 1)
) {
  Deno.test(`provenance: ${folder}`, async () => {
    const text = await Deno.readTextFile(new URL(`${folder}/in.yaml`, CASES));
    const { proxy, type, name, mesh } = headOf(text);
    const bench = startTranslation(
      fromJson(MeshConfigSchema, { rootNamespace: "mesh-system", ...JSON.parse(mesh || "{}") }),
    );
    bench.set(text);
    const binding = bench.translation.source.bind(PROXIES[proxy]!, () => {});
    const typeUrl = TYPE_URLS[type as keyof typeof TYPE_URLS];
    const question = {
      mesh: bench.translation.mesh,
      view: binding.view(typeUrl)!,
      type: typeUrl,
      name,
    };
    const provenance = provenanceOf(question);
    assert.equal(provenance?.exact, true);
    await assertGolden(new URL(`${folder}/provenance.json`, CASES), provenance);
    assert.deepEqual(
      suspectsOf(question).map(({ object }) => object),
      provenance.objects.map((o) => `${o.kind}/${o.namespace}/${o.name}`),
    );
    binding.close();
  });
}

Deno.test("a resource that is not served has no provenance", () => {
  const bench = startTranslation();
  const binding = bench.translation.source.bind(PROXIES.client!, () => {});
  const type = TYPE_URLS.cluster;
  const question = {
    mesh: bench.translation.mesh,
    view: binding.view(type)!,
    type,
    name: "nothing",
  };
  assert.equal(provenanceOf(question), undefined);
  assert.deepEqual(suspectsOf(question), []);
});
