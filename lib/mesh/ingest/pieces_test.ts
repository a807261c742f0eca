/**
 * Large changes, written and published in pieces.
 */
import assert from "node:assert/strict";
import { destinationRule, serviceEntry, virtualService } from "../../../tests/support/corpus.ts";
import { objectsOf, testMeshConfig } from "../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  changeOf,
  DEFAULT_FEATURES,
  everything,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { createGraph } from "../graph/mod.ts";
import type { ChangeSet } from "./changes.ts";
import { publishInPieces } from "./publisher.ts";

const SERVICES = 300;

const changes = (variant: number) =>
  Array.from({ length: SERVICES }, (_, i) => [
    serviceEntry(i, variant),
    virtualService(i, 80 + variant),
    destinationRule(i),
  ]).flatMap((documents) => objectsOf(documents.join("---\n")).map(changeOf));

/** Writes and publishes changes in pieces of `millis`; returns the revision. */
async function applyInPieces(
  { writer, translation }: Bench,
  changes: ChangeSet,
  { millis, pause, now = () => 0 }: {
    readonly millis: number;
    readonly pause: () => Promise<void>;
    readonly now?: () => number;
  },
): Promise<number> {
  await publishInPieces({ writer, target: translation, pause, now, millis }, changes);
  return translation.source.revision;
}

const bound = (bench: Bench) =>
  bench.translation.source.bind(proxyNode("ns-1", { labels: { app: "a" } }), () => {});

Deno.test("a change in pieces comes to the same, and is seen when all of it is there", async () => {
  let time = 0;
  const graph = createGraph({ now: () => time++ });
  const bench = startTranslation(testMeshConfig(), DEFAULT_FEATURES, graph);
  bench.apply({ objects: changes(0) });
  const binding = bound(bench);
  const before = everything(binding);
  const revisions: number[] = [];
  bench.translation.source.onPublish((_, revision) => revisions.push(revision));
  let pauses = 0;
  const config = testMeshConfig();
  config.protocolDetectionTimeout = undefined;
  const revision = await applyInPieces(bench, { objects: changes(1), mesh: config }, {
    millis: 0,
    pause: async () => {
      pauses++;
      assert.deepEqual(revisions, []);
      if (pauses % 50 === 1) assert.deepEqual(everything(binding), before);
      await Promise.resolve();
    },
  });
  assert.ok(pauses > SERVICES, `${pauses} pauses`);
  assert.deepEqual(revisions, [revision]);
  const whole = startTranslation(config);
  whole.apply({ objects: changes(1) });
  assert.deepEqual(everything(binding), everything(bound(whole)));
  assert.notDeepEqual(everything(binding), before);
});

Deno.test("a transaction ends with the object after which its time is up", () => {
  const objects = changes(0).slice(0, 9);
  /** The numbers of objects in the steps, in each of which time is up after some of them. */
  const steps = (most: number): number[] => {
    const { writer, graph } = startTranslation();
    const start = graph.revision;
    const written: number[] = [];
    const begin = () => {
      let left = most;
      return () => --left <= 0;
    };
    for (const _ of writer.writeInPieces({ objects }, begin)) {
      written.push(graph.edits(start)?.length ?? 0);
    }
    return [...written, graph.edits(start)?.length ?? 0];
  };
  assert.deepEqual(steps(1), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(steps(4), [4, 8, 9]);
  assert.deepEqual(steps(100), [9]);
});

Deno.test("a change that changes nothing publishes nothing, and a small one does not wait", async () => {
  const bench = startTranslation();
  const pace = { millis: 1e6, pause: () => Promise.reject(new Error("a pause")) };
  const first = await applyInPieces(bench, { objects: changes(0).slice(0, 9) }, pace);
  const again = await applyInPieces(bench, { objects: changes(0).slice(0, 9) }, pace);
  assert.equal(again, first);
  assert.equal(bench.graph.published, first);
});

Deno.test("all that a translation was given makes another one equal, whatever defaults it has by then", () => {
  const bench = startTranslation();
  const keySets = new Map([["https://keys.test", { jwks: '{"keys":[]}' }]]);
  const credentials = new Map([["ns-1/web", { certificate: "c", privateKey: "k" }]]);
  bench.apply({ objects: changes(0).slice(0, 30), keySets, credentials });
  const shut = testMeshConfig();
  shut.defaultServiceExportTo = ["."];
  bench.apply({ mesh: shut });
  const all = bench.writer.all();
  assert.deepEqual([all.keySets, all.credentials], [keySets, credentials]);
  const second = startTranslation();
  second.apply(all);
  assert.deepEqual(everything(bound(second)), everything(bound(bench)));
  // The defaults are not part of what was given: without them both are as at the beginning.
  const open = testMeshConfig();
  for (const { apply } of [bench, second]) apply({ mesh: open });
  const fresh = startTranslation();
  fresh.apply({ objects: changes(0).slice(0, 30) });
  const expected = everything(bound(fresh));
  assert.deepEqual([everything(bound(bench)), everything(bound(second))], [expected, expected]);
});

Deno.test("the effects of a mesh configuration on objects are written in pieces", async () => {
  const bench = startTranslation();
  bench.apply({ objects: changes(0) });
  const { graph } = bench;
  const shut = testMeshConfig();
  shut.defaultServiceExportTo = ["."];
  const written: number[] = [];
  const transaction = graph.revision;
  await applyInPieces(bench, { mesh: shut }, {
    millis: 1e6,
    pause: () => {
      written.push((graph.edits(transaction) ?? []).length);
      return Promise.resolve();
    },
  });
  // The configuration and 200 of 300 services, and the others.
  assert.deepEqual(written, [201, 301]);
});
