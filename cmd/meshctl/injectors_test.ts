import assert from "node:assert/strict";
import { defaultInjectionConfig } from "../../lib/inject/mod.ts";
import { parseYaml } from "../../lib/text/mod.ts";
import {
  type InjectorVerdict,
  injectorVerdict,
  isInjector,
  type WebhookConfig,
} from "./injectors.ts";

const CORPORA = Deno.env.get("MESH_CORPORA") ?? "";

interface Case {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly options?: {
    readonly podLabels: Readonly<Record<string, string>>;
    readonly namespaceLabels: Readonly<Record<string, string>>;
  };
  readonly expected?: { readonly webhooks: readonly InjectorVerdict[] };
}

Deno.test({
  name: `check-inject: webhook, revision and verdict are those of the corpus${
    CORPORA === "" ? " [no MESH_CORPORA]" : ""
  }`,
  ignore: CORPORA === "",
  fn: () => {
    const read = (name: string): string => Deno.readTextFileSync(`${CORPORA}/cli/${name}`);
    const { cases } = JSON.parse(read("cases.json")) as { readonly cases: readonly Case[] };
    let judged = 0;
    for (const { name, inputs, options, expected } of cases) {
      if (options === undefined || expected === undefined) continue;
      const { podLabels: pod, namespaceLabels: namespace } = options;
      const found = inputs.map((file) => parseYaml(read(file)) as WebhookConfig)
        .filter(isInjector)
        .map((config) =>
          injectorVerdict(
            config,
            { namespaceName: "test1", namespace, pod },
            defaultInjectionConfig(),
          )
        );
      const key = (
        { webhook, revision, injected }: InjectorVerdict,
      ) => [webhook, revision, injected];
      const sorted = (all: readonly InjectorVerdict[]) => all.map(key).map(String).sort();
      assert.deepEqual(sorted(found), sorted(expected.webhooks), name);
      judged++;
    }
    assert.equal(judged, 6);
  },
});

Deno.test("check-inject: the injector's own rules count after the selection", () => {
  const config = { metadata: { name: "all" }, webhooks: [{ name: "all" }] };
  const pod = { namespaceName: "shop", namespace: {}, pod: {}, hostNetwork: true };
  const verdict = injectorVerdict(config, pod, defaultInjectionConfig());
  assert.deepEqual([verdict.injected, verdict.reason], [
    false,
    "The pod uses the network of its node (hostNetwork)",
  ]);
});
