import assert from "node:assert/strict";
import { entry } from "../../../tests/support/file_source_fixture.ts";
import { startIngest } from "../../../tests/support/ingest_fixture.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import type { ConfigObject } from "../model/mod.ts";
import type { ObjectChanges } from "./source.ts";

/** One ServiceEntry, as a source reports it. */
function object(source: string, name: string, port = 80): ConfigObject {
  const [parsed] = objectsOf(entry(name, port));
  return { ...parsed!, meta: { ...parsed!.meta, origin: { source } } };
}

const upsert = (...upserts: ConfigObject[]): ObjectChanges => ({ upserts, deletes: [] });
const deletion = (name: string): ObjectChanges => ({
  upserts: [],
  deletes: [{ kind: "ServiceEntry", namespace: "default", name }],
});

Deno.test("initial sets are written in one transaction, when every source is synced", () => {
  const { ingest, pipeline } = startIngest();
  const file = ingest.open("file");
  const cluster = ingest.open("cluster/a");
  file.objects(upsert(object("file", "one")));
  file.synced();
  assert.deepEqual(ingest.sources(), [
    { name: "file", synced: true, fault: undefined },
    { name: "cluster/a", synced: false, fault: undefined },
  ]);
  assert.throws(() => ingest.build(), /not synced yet: cluster\/a/);
  cluster.objects(upsert(object("cluster/a", "two")));
  cluster.synced();
  const { graph, mesh } = pipeline;
  const { revision } = graph;
  assert.deepEqual(mesh.tables.serviceEntries.keys(), []);
  ingest.build();
  assert.deepEqual(mesh.tables.serviceEntries.keys().toSorted(), ["default/one", "default/two"]);
  assert.deepEqual([graph.revision, graph.published], [revision + 1, revision + 1]);
});

Deno.test("later changes of all sources are debounced and published together", async () => {
  const { ingest, pipeline: { mesh, graph }, clock } = startIngest();
  const [file, cluster] = [ingest.open("file"), ingest.open("cluster/a")];
  for (const intake of [file, cluster]) intake.synced();
  ingest.build();
  const { published } = graph;
  file.objects(upsert(object("file", "one")));
  clock.to(6);
  cluster.objects(upsert(object("cluster/a", "two")));
  clock.to(9);
  assert.deepEqual([mesh.tables.serviceEntries.size, graph.published], [0, published]);
  clock.to(10);
  await ingest.close();
  assert.deepEqual([mesh.tables.serviceEntries.size, graph.published], [2, published + 1]);
  assert.equal(ingest.seenAt("ServiceEntry", "default/two"), 6);
});

Deno.test("a batch waits for changes that a source has noticed", async () => {
  const { ingest, pipeline: { mesh }, clock } = startIngest();
  const [file, cluster] = [ingest.open("file"), ingest.open("cluster/a")];
  for (const intake of [file, cluster]) intake.synced();
  ingest.build();
  cluster.objects(upsert(object("cluster/a", "two")));
  file.expecting(true);
  clock.to(60);
  assert.equal(mesh.tables.serviceEntries.size, 0);
  file.objects(upsert(object("file", "one")), 5);
  file.expecting(false);
  clock.to(65);
  await ingest.close();
  assert.equal(mesh.tables.serviceEntries.size, 2);
});

Deno.test("the source that was opened first precedes others, whose version is used when it goes", async () => {
  const { ingest, pipeline: { mesh }, clock } = startIngest();
  const [file, cluster] = [ingest.open("file"), ingest.open("cluster/a")];
  for (const intake of [file, cluster]) intake.synced();
  ingest.build();
  let time = 0;
  const row = async (): Promise<string | undefined> => {
    clock.to(time += 1_000);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const found = mesh.tables.serviceEntries.peek("default/one")?.meta;
    return found && `${found.origin.source}@${found.generation}`;
  };
  cluster.objects(upsert(object("cluster/a", "one", 81)));
  assert.equal(await row(), "cluster/a@1");
  file.objects(upsert(object("file", "one", 82)));
  assert.equal(await row(), "file@2");
  cluster.objects(upsert(object("cluster/a", "one", 83)));
  assert.equal(await row(), "file@2");
  file.objects(deletion("one"));
  assert.equal(await row(), "cluster/a@3");
  file.objects(upsert(object("file", "one", 82)));
  cluster.objects(deletion("one"));
  assert.equal(await row(), "file@4");
  file.objects(deletion("one"));
  assert.equal(await row(), undefined);
});

Deno.test("listeners get objects before they are written, and faults are part of the state", () => {
  const { ingest } = startIngest();
  const heard: string[] = [];
  const end = ingest.subscribe((source, { upserts, deletes }) =>
    heard.push(`${source} +${upserts.length} -${deletes.length}`)
  );
  const file = ingest.open("file");
  file.objects(upsert(object("file", "one")));
  end();
  file.objects(deletion("one"));
  assert.deepEqual(heard, ["file +1 -0"]);
  file.health("the directory is gone");
  assert.equal(ingest.sources()[0]?.fault, "the directory is gone");
  file.health(undefined);
  assert.equal(ingest.sources()[0]?.fault, undefined);
  assert.throws(() => ingest.open("file"), /open already/);
});

Deno.test("regular work runs between publications, and waiting changes are dropped at the end", async () => {
  const { ingest, pipeline: { mesh }, clock } = startIngest();
  const file = ingest.open("file");
  file.synced();
  ingest.build();
  let runs = 0;
  const end = ingest.every(10, () => runs++);
  clock.to(35);
  assert.equal(runs, 3);
  end();
  file.objects(upsert(object("file", "one")));
  await ingest.close();
  clock.to(5_000);
  assert.deepEqual([runs, mesh.tables.serviceEntries.size, clock.waiting], [3, 0, 0]);
});
