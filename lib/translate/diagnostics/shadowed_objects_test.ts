import assert from "node:assert/strict";
import { documents, manifest, type Spec } from "../../../tests/support/manifest.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { shadowedObjects } from "./shadowed_objects.ts";

const sidecar = (name: string, namespace: string, more: Spec = {}): string =>
  manifest("Sidecar", name, { egress: [{ hosts: ["./*"] }], ...more }, namespace);
const SELECTOR = { workloadSelector: { labels: { app: "a" } } };

const CASES: readonly [name: string, documents: readonly string[], found: readonly string[]][] = [
  ["one Sidecar for each namespace", [
    sidecar("a", "mesh-system"),
    sidecar("b", "one"),
  ], []],
  ["several mesh-wide Sidecars", [
    sidecar("b", "mesh-system"),
    sidecar("a", "mesh-system"),
    sidecar("c", "mesh-system", SELECTOR),
  ], ["Sidecar/mesh-system/b "]],
];

for (const [name, texts, found] of CASES) {
  Deno.test(`objects that an older one shadows: ${name}`, () => {
    const { set, translation } = startTranslation();
    set(documents(...texts));
    assert.deepEqual(
      shadowedObjects(translation.mesh).map(({ object, field }) => `${object} ${field}`),
      found,
    );
  });
}
