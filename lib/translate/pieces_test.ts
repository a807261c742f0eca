/**
 * Large changes in pieces, and what stays in memory.
 */
import assert from "node:assert/strict";
import { destinationRule, serviceEntry, virtualService } from "../../bench/push/corpus.ts";
import { objectsOf, testMeshConfig } from "../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  changeOf,
  DEFAULT_FEATURES,
  everything,
  proxyNode,
  startTranslation,
} from "../../tests/support/translation_fixture.ts";
import { createGraph } from "../graph/mod.ts";
import { keeping } from "./layers/mod.ts";
import { TYPE_URLS } from "./resources/mod.ts";

const SERVICES = 300;

const changes = (variant: number) =>
  Array.from({ length: SERVICES }, (_, i) => [
    serviceEntry(i, variant),
    virtualService(i, 80 + variant),
    destinationRule(i),
  ]).flatMap((documents) => objectsOf(documents.join("---\n")).map(changeOf));

const seated = (bench: Bench) =>
  bench.translation.source.bind(proxyNode("ns-1", { labels: { app: "a" } }), () => {});

Deno.test("a change in pieces comes to the same, and is seen when all of it is there", async () => {
  let time = 0;
  const graph = createGraph({ now: () => time++ });
  const bench = startTranslation(testMeshConfig(), DEFAULT_FEATURES, graph);
  bench.translation.apply({ objects: changes(0) });
  const seat = seated(bench);
  const before = everything(seat);
  const told: number[] = [];
  bench.translation.source.onPublish((_, revision) => told.push(revision));
  let pauses = 0;
  const config = testMeshConfig();
  config.protocolDetectionTimeout = undefined;
  const revision = await bench.translation.applyInPieces({ objects: changes(1), mesh: config }, {
    millis: 0,
    pause: async () => {
      pauses++;
      assert.deepEqual(told, []);
      if (pauses % 50 === 1) assert.deepEqual(everything(seat), before);
      await Promise.resolve();
    },
  });
  assert.ok(pauses > SERVICES, `${pauses} pauses`);
  assert.deepEqual(told, [revision]);
  const whole = startTranslation(config);
  whole.translation.apply({ objects: changes(1) });
  assert.deepEqual(everything(seat), everything(seated(whole)));
  assert.notDeepEqual(everything(seat), before);
});

Deno.test("a change that changes nothing publishes nothing, and a small one does not wait", async () => {
  const bench = startTranslation();
  const pace = { millis: 1e6, pause: () => Promise.reject(new Error("a pause")) };
  const first = await bench.translation.applyInPieces({ objects: changes(0).slice(0, 9) }, pace);
  const again = await bench.translation.applyInPieces({ objects: changes(0).slice(0, 9) }, pace);
  assert.equal(again, first);
  assert.equal(bench.graph.published, first);
});

/** What is idle after a proxy came and went. */
function left(options: Partial<Parameters<typeof keeping>[0]>) {
  const all = { anything: true, clusters: true, routes: true, cells: 60_000, bytes: 1e9 };
  const bench = startTranslation();
  bench.translation.apply({ objects: changes(0).slice(0, 90) });
  const seat = seated(bench);
  for (const url of Object.values(TYPE_URLS)) for (const _ of seat.view(url)?.entries() ?? []);
  const { bytes } = bench.graph.stats();
  seat.close();
  bench.graph.evict(keeping({ ...all, ...options }));
  const { idle, cells, computedByTable } = bench.graph.stats();
  const held = (bench.graph.dump() as { derived: Record<string, object> }).derived;
  const kept = (table: string) => Object.keys(held[table] ?? {}).length;
  return { idle, cells, bytes, computedByTable, kept };
}

Deno.test("what stays of a proxy that went is what the bounds allow", () => {
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

Deno.test("all that a translation was given makes another one equal, whatever defaults it has by then", () => {
  const bench = startTranslation();
  const keySets = new Map([["https://keys.test", { jwks: '{"keys":[]}' }]]);
  const credentials = new Map([["ns-1/web", { certificate: "c", privateKey: "k" }]]);
  bench.translation.apply({ objects: changes(0).slice(0, 30), keySets, credentials });
  const shut = testMeshConfig();
  shut.defaultServiceExportTo = ["."];
  bench.translation.apply({ mesh: shut });
  const all = bench.translation.all();
  assert.deepEqual([all.keySets, all.credentials], [keySets, credentials]);
  const second = startTranslation();
  second.translation.apply(all);
  assert.deepEqual(everything(seated(second)), everything(seated(bench)));
  // The defaults are not part of what was given: without them both are as at the beginning.
  const open = testMeshConfig();
  for (const { translation } of [bench, second]) translation.apply({ mesh: open });
  const fresh = startTranslation();
  fresh.translation.apply({ objects: changes(0).slice(0, 30) });
  const expected = everything(seated(fresh));
  assert.deepEqual([everything(seated(bench)), everything(seated(second))], [expected, expected]);
});

Deno.test("what a mesh configuration does to objects is written in pieces, too", async () => {
  const bench = startTranslation();
  bench.translation.apply({ objects: changes(0) });
  const { graph } = bench;
  const shut = testMeshConfig();
  shut.defaultServiceExportTo = ["."];
  const written: number[] = [];
  const transaction = graph.revision;
  await bench.translation.applyInPieces({ mesh: shut }, {
    millis: 1e6,
    pause: () => {
      written.push((graph.edits(transaction) ?? []).length);
      return Promise.resolve();
    },
  });
  // The configuration and 200 of 300 services, and the others.
  assert.deepEqual(written, [201, 301]);
});
