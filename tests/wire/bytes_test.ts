/**
 * Bounds on the bytes of a first sync, by resource type.
 *
 * @module
 */
import assert from "node:assert/strict";
import { destinationRule, serviceEntry, virtualService } from "../support/corpus.ts";
import { objectsOf } from "../support/mesh_fixture.ts";
import { changeOf, proxyNode, startTranslation } from "../support/translation_fixture.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

const SERVICES = 40;

/** Bytes a service, rounded up: a field more in each of them is beyond. */
const MOST = { cluster: 415, endpoint: 613, virtualHost: 500 } as const;

Deno.test("a service of the push benchmark takes no more bytes than it did", () => {
  const bench = startTranslation();
  const documents = Array.from({ length: SERVICES }, (_, i) => [
    serviceEntry(i),
    ...(i % 2 === 0 ? [virtualService(i)] : []),
    ...(i % 4 === 0 ? [destinationRule(i)] : []),
  ]).flat();
  bench.apply({ objects: objectsOf(documents.join("---\n")).map(changeOf) });
  const node = proxyNode("ns-0", { transport: "delta", userAgent: "envoy" });
  const binding = bench.translation.source.bind(node, () => {});
  for (const [type, most] of Object.entries(MOST)) {
    const url = TYPE_URLS[type as keyof typeof MOST];
    const resources = [...binding.view(url)!.entries()].filter(({ name }) =>
      name.includes(".bench.")
    );
    assert.ok(resources.length >= SERVICES, `there are ${resources.length} of ${type}`);
    const bytes = resources.reduce((sum, resource) => sum + resource.bytes.length, 0);
    const each = bytes / SERVICES;
    assert.ok(each <= most, `${type}: ${each} bytes a service`);
  }
});
