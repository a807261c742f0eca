import assert from "node:assert/strict";
import { destinationRule, serviceEntry, virtualService } from "../../../tests/support/corpus.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import {
  changeOf,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { TYPE_URLS } from "./resources/mod.ts";
import { retention } from "./retention.ts";

const OBJECTS = Array.from(
  { length: 30 },
  (_, i) => [serviceEntry(i), virtualService(i), destinationRule(i)],
).flatMap((documents) => objectsOf(documents.join("---\n")).map(changeOf));

/** Returns the cells that are idle after a proxy connected and disconnected. */
function left(options: Partial<Parameters<typeof retention>[0]>) {
  const all = { anything: true, clusters: true, routes: true, cells: 60_000, bytes: 1e9 };
  const bench = startTranslation();
  bench.apply({ objects: OBJECTS });
  const binding = bench.translation.source.bind(
    proxyNode("ns-1", { labels: { app: "a" } }),
    () => {},
  );
  for (const url of Object.values(TYPE_URLS)) for (const _ of binding.view(url)?.entries() ?? []);
  const { bytes } = bench.graph.stats();
  binding.close();
  bench.graph.evict(retention({ ...all, ...options }));
  const { idle, cells, computedByTable } = bench.graph.stats();
  const held = (bench.graph.dump() as { derived: Record<string, object> }).derived;
  const kept = (table: string) => Object.keys(held[table] ?? {}).length;
  return { idle, cells, bytes, computedByTable, kept };
}

Deno.test("the bounds limit what is kept of a disconnected proxy", () => {
  const all = left({});
  assert.ok(all.idle.bytes > 0 && all.kept("cds") > 0 && all.kept("rds.public") > 0);
  const half = left({ bytes: all.idle.bytes / 2 });
  assert.ok(half.idle.bytes > 0 && half.idle.bytes <= all.idle.bytes / 2);
  const none = left({ anything: false });
  assert.deepEqual([none.idle, none.cells], [{ collections: 0, cells: 0, bytes: 0 }, 0]);
  const unclustered = left({ clusters: false });
  assert.deepEqual([unclustered.kept("cds"), unclustered.kept("cds.overlay")], [0, 0]);
  assert.ok(unclustered.kept("rds.public") > 0);
  const unrouted = left({ routes: false });
  assert.deepEqual([unrouted.kept("rds.public"), unrouted.kept("vhost.overlay")], [0, 0]);
  assert.ok(unrouted.kept("cds") > 0);
});
