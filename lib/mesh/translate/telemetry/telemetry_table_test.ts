import assert from "node:assert/strict";
import { MeshConfig_ExtensionProviderSchema as ProviderSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { hostOf, serviceEntry } from "../../../../tests/support/corpus.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  changeOf,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding } from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { defaultMeshConfig } from "../../schema/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const NAMESPACES = 20;

const PER_NAMESPACE = 3;

interface World {
  readonly bench: Bench;
  readonly bindings: readonly ProxyBinding[];
  /** Indexes of the proxies with changed resources, by type, and the computed cells. */
  edit(
    yaml: string,
  ): { moved: Readonly<Record<string, number[]>>; computed: Record<string, number> };
}

function telemetry(namespace: string, spec: string): string {
  return `apiVersion: telemetry.mesh.io/v1

kind: Telemetry

metadata: {name: t, namespace: ${namespace}}

spec: ${spec}

`;
}

/** 60 proxies in 20 namespaces; the first of each namespace has the label `app: chosen`. */
function world(): World {
  const config = defaultMeshConfig();
  config.extensionProviders.push(
    create(ProviderSchema, {
      name: "zipkin",
      provider: { case: "zipkin", value: { service: hostOf(1), port: 80 } },
    }),
  );
  const bench = startTranslation(config);
  const documents = Array.from({ length: 40 }, (_, i) => serviceEntry(i));
  bench.apply({ objects: objectsOf(documents.join("---\n")).map(changeOf) });
  const bindings = Array.from(
    { length: NAMESPACES * PER_NAMESPACE },
    (_, i) =>
      bench.translation.source.bind(
        proxyNode(`ns-${Math.floor(i / PER_NAMESPACE)}`, {
          ip: `10.9.${Math.floor(i / PER_NAMESPACE)}.${i % PER_NAMESPACE + 1}`,
          labels: { app: i % PER_NAMESPACE === 0 ? "chosen" : "other", n: `${i}` },
        }),
        () => {},
      ),
  );
  const look = () =>
    bindings.map((binding) =>
      Object.fromEntries(
        Object.entries(TYPE_URLS).map(([type, url]) => [
          type,
          [...binding.view(url)?.entries() ?? []].map((r) => `${r.name}@${r.version}`).join(),
        ]),
      )
    );
  look();
  return {
    bench,
    bindings,
    edit: (yaml) => {
      const before = look();
      bench.graph.resetStats();
      bench.set(yaml);
      const { computedByTable } = bench.graph.stats();
      const after = look();
      const moved = Object.keys(TYPE_URLS).flatMap((type) => {
        const who = bindings.flatMap((_, i) => before[i]![type] === after[i]![type] ? [] : [i]);
        return who.length === 0 ? [] : [[type, who] as const];
      });
      return { moved: Object.fromEntries(moved), computed: { ...computedByTable } };
    },
  };
}

Deno.test("a resource of a namespace reaches the listeners of its proxies, and nothing else", () => {
  const { edit } = world();
  const { moved, computed } = edit(
    telemetry("ns-3", "{metrics: [{overrides: [{disabled: true}]}]}"),
  );
  assert.deepEqual(moved, { listener: [9, 10, 11] });
  assert.equal(computed["telemetry.sides"], 1);
  const same = "{metrics: [{overrides: [{disabled: true}, {disabled: true}]}]}";
  const again = edit(telemetry("ns-3", same));
  assert.deepEqual(again.moved, {}, "what says the same reaches nobody");
  assert.equal(again.computed["lds"] ?? 0, 0);
});

Deno.test("a resource for some workloads reaches those alone", () => {
  const { edit } = world();
  const selector = "selector: {matchLabels: {app: chosen}}";
  const { moved } = edit(
    telemetry("ns-3", `{${selector}, accessLogging: [{providers: [{name: dataproxy}]}]}`),
  );
  assert.deepEqual(moved, { listener: [9] });
});

Deno.test("classes with equal telemetry share listeners", () => {
  const { edit } = world();
  const { computed } = edit(
    telemetry("mesh-system", "{accessLogging: [{providers: [{name: dataproxy}]}]}"),
  );
  assert.equal(computed["telemetry.sides"], 1);
  // One listener for each port that all namespaces see, whatever the number of namespaces.
  assert.ok((computed["lds"] ?? 0) <= 3, `${computed["lds"]}`);
});

Deno.test("a tracer that needs its cluster is left out where the cluster may not be there", () => {
  const { bindings, edit } = world();
  const tracing = "{tracing: [{providers: [{name: zipkin}]}]}";
  assert.equal(edit(telemetry("mesh-system", tracing)).moved.listener?.length, 60);
  const { moved } = edit(`apiVersion: networking.mesh.io/v1

kind: Sidecar

metadata: {name: narrow, namespace: ns-5}

spec: {egress: [{hosts: [./*]}]}

`);
  assert.deepEqual(moved.listener, [15, 16, 17]);
  const traced = (i: number): boolean =>
    [...bindings[i]!.view(TYPE_URLS.listener)!.entries()].some(({ bytes }) =>
      new TextDecoder().decode(bytes).includes("envoy.tracers.zipkin")
    );
  assert.deepEqual([15, 0].map(traced), [false, true]);
});
