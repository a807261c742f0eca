import assert from "node:assert/strict";
import {
  documents,
  manifest,
  serviceEntry,
  type Spec,
} from "../../../../tests/support/manifest.ts";
import { startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { shadowedObjects } from "./shadowed_objects.ts";

const sidecar = (name: string, namespace: string, more: Spec = {}): string =>
  manifest("Sidecar", name, { egress: [{ hosts: ["./*"] }], ...more }, namespace);
const entry = (name: string, more: Spec = {}): string =>
  serviceEntry(name, ["a.test"], { number: 80, protocol: "HTTP" }, { endpoints: [], ...more });
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
  ["entries of a host that agree", [
    entry("a"),
    entry("b", { ports: [{ number: 81, protocol: "HTTP", name: "more" }] }),
  ], []],
  ["an entry of a host that differs", [
    entry("a"),
    entry("b", {
      resolution: "DNS",
      ports: [{ number: 81, protocol: "HTTP", name: "more" }],
    }),
  ], ["ServiceEntry/test/b spec.ports"]],
  ["another protocol at a port", [
    entry("a"),
    entry("b", { ports: [{ number: 80, protocol: "TCP", name: "main" }] }),
  ], ["ServiceEntry/test/b spec.ports"]],
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
