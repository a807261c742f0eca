/** Compares history with past states, and replays with recordings. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { destinationRule, serviceEntry, virtualService } from "../../../tests/support/corpus.ts";
import { testMeshConfig } from "../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  DEFAULT_FEATURES,
  everything,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { type ProxyBinding, TYPE_URLS } from "../../mesh/model/mod.ts";
import { createHistory, type HistoryDiff, type HistoryLog, openLineFile, replay } from "./mod.ts";
import { startRecording } from "./mod.ts";

type Content = Record<string, Record<string, string>>;

/** Edits of a small mesh, by number. */
const EDITS: readonly ((bench: Bench) => number)[] = [
  (bench) => bench.set(serviceEntry(1)),
  (bench) => bench.set(serviceEntry(1, 7)),
  (bench) => bench.set([serviceEntry(2), virtualService(2, 30)].join("---\n")),
  (bench) => bench.set(virtualService(2, 60)),
  (bench) => bench.set(destinationRule(1)),
  (bench) => bench.remove("ServiceEntry", "ns-1/svc-1"),
  (bench) => bench.remove("VirtualService", "ns-2/svc-2"),
  (bench) => bench.remove("DestinationRule", "ns-1/svc-1"),
  (bench) => {
    const config = testMeshConfig();
    config.protocolDetectionTimeout = undefined;
    const before = bench.graph.published;
    bench.apply({ mesh: config });
    return before;
  },
];

const sequence = fc.array(fc.nat(EDITS.length - 1), { minLength: 1, maxLength: 12 });

/** A mesh that has been published once. */
function begun(): Bench {
  const bench = startTranslation();
  bench.set(serviceEntry(3));
  return bench;
}

const bound = (bench: Pick<Bench, "translation">): ProxyBinding =>
  bench.translation.source.bind(proxyNode("ns-1"), () => {});

/** The content of a binding according to history. */
function contentAt(history: HistoryLog, revision: number, binding: ProxyBinding): Content {
  return Object.fromEntries(
    Object.entries(TYPE_URLS).map(([short, url]) => {
      const view = binding.view(url);
      const content = view === undefined ? new Map() : history.at(revision, view);
      assert.ok(content !== undefined, `${short} at ${revision} is not known`);
      const versions = [...content.values()].map((r) => [r.name, r.version] as const);
      return [short, Object.fromEntries(versions.sort(([a], [b]) => (a < b ? -1 : 1)))];
    }),
  );
}

Deno.test("the recorded content of an earlier revision equals what the proxy was served then", () => {
  fc.assert(
    fc.property(sequence, (edits) => {
      const bench = begun();
      const history = createHistory(bench.graph, { clock: () => 5 });
      bench.translation.source.onPublish((changed, revision) => history.note(changed, revision));
      const binding = bound(bench);
      const seen = new Map<number, Content>([[bench.graph.published, everything(binding)]]);
      for (const edit of edits) {
        EDITS[edit]!(bench);
        seen.set(bench.graph.published, everything(binding));
      }
      for (const [revision, content] of seen) {
        assert.deepEqual(contentAt(history, revision, binding), content);
      }
      for (const entry of seen) checkDiffs(history, binding, entry, seen);
    }),
    { numRuns: 40 },
  );
});

function checkDiffs(
  history: HistoryLog,
  binding: ProxyBinding,
  [a, before]: readonly [revision: number, content: Content],
  seen: ReadonlyMap<number, Content>,
): void {
  for (const [b, after] of seen) {
    const diff = history.diff(a, b, binding.view(TYPE_URLS.cluster)!)!;
    assert.deepEqual(applied(before.cluster!, diff), after.cluster);
  }
}

function applied(content: Readonly<Record<string, string>>, diff: HistoryDiff) {
  const copy = new Map(Object.entries(content));
  for (const { name } of diff.removed) assert.ok(copy.delete(name));
  for (const { name, version } of diff.added) {
    assert.ok(!copy.has(name));
    copy.set(name, version);
  }
  for (const { before, after } of diff.changed) {
    assert.equal(copy.get(before.name), before.version);
    copy.set(after.name, after.version);
  }
  return Object.fromEntries([...copy].sort(([a], [b]) => (a < b ? -1 : 1)));
}

Deno.test("publications are listed with their edits and what they changed, under a bound", () => {
  const bench = startTranslation();
  let time = 100;
  const history = createHistory(bench.graph, { clock: () => time++, limit: 2 });
  bench.translation.source.onPublish((changed, revision) => history.note(changed, revision));
  const binding = bound(bench);
  for (const url of Object.values(TYPE_URLS)) void binding.view(url)?.size;
  EDITS[0]!(bench);
  EDITS[1]!(bench);
  const last = bench.graph.published;
  EDITS[5]!(bench);
  const [newest, older, ...rest] = history.revisions();
  assert.deepEqual(rest, []);
  assert.deepEqual([older!.revision, older!.at, older!.previous], [last, 101, last - 1]);
  assert.deepEqual(older!.edits.map(({ kind, table, key }) => `${kind} ${table}/${key}`), [
    "set ServiceEntry/ns-1/svc-1",
  ]);
  assert.ok(older!.changes.every(({ before, after }) => before !== after));
  assert.ok(older!.changes.some(({ collection }) => collection.startsWith("endpoint/")));
  assert.ok(newest!.changes.some(({ after }) => after === undefined));
  assert.equal(newest!.changed, newest!.changes.length);
  assert.equal(history.revision(last), older);
  assert.deepEqual(history.revisions(1), [newest]);
  assert.equal(history.revision(last - 1), undefined);
});

Deno.test("the record stays within its bytes and always has the last publication", () => {
  const bench = startTranslation();
  const history = createHistory(bench.graph, { clock: () => 0, bytes: 400 });
  bench.translation.source.onPublish((changed, revision) => history.note(changed, revision));
  for (const edit of [0, 1, 0, 1, 0, 1, 0]) EDITS[edit]!(bench);
  const kept = history.revisions();
  assert.ok(kept.length >= 1 && kept.length < 7, `${kept.length} kept`);
  assert.equal(kept[0]!.revision, bench.graph.published);
});

/** A recording of some edits, and what a proxy saw after each. */
function recorded(edits: readonly number[]) {
  const bench = begun();
  const lines: string[] = [];
  const options = { domain: "cluster.local", clusterId: "test", features: DEFAULT_FEATURES };
  let time = 100;
  const { tables } = bench.translation.mesh;
  const recorder = startRecording({
    graph: bench.graph,
    tables,
    options,
    clock: () => time++,
    write: (line) => lines.push(line),
  });
  bench.translation.source.onPublish((_, revision) => recorder.note(revision));
  const binding = bound(bench);
  const seen = new Map<number, Content>([[bench.graph.revision, everything(binding)]]);
  for (const edit of edits) {
    EDITS[edit]!(bench);
    seen.set(bench.graph.published, everything(binding));
  }
  return { text: lines.map((line) => `${line}\n`).join(""), seen };
}

Deno.test("a recording played back shows what was served, revision by revision", () => {
  fc.assert(
    fc.property(sequence, (edits) => {
      const { text, seen } = recorded(edits);
      const along = replay(text, [...seen.keys()][0]);
      const binding = bound(along);
      for (const [revision, content] of seen) {
        assert.equal(along.advance(revision), revision);
        assert.deepEqual(everything(binding), content);
        assert.deepEqual(everything(bound(replay(text, revision))), content);
      }
    }),
    { numRuns: 15 },
  );
});

Deno.test("a recording that was cut off is played as far as it goes; nonsense is refused", () => {
  const { text, seen } = recorded([0, 1, 2]);
  const revisions = [...seen.keys()];
  assert.equal(replay(text.slice(0, -5)).revision, revisions.at(-2));
  assert.equal(replay(text).revision, revisions.at(-1));
  const refused = (bad: string, until?: number) =>
    assert.throws(() => replay(bad, until), { code: "input-log-invalid" });
  refused("");
  refused("no json\n");
  refused(`{"form":99}\n{"revision":1,"rows":[]}\n`);
  refused(text, 0);
});

Deno.test("lines reach the file in order; a file that can not be written is named", async () => {
  const dir = await Deno.makeTempDir();
  const fail = (error: unknown) => assert.fail(String(error));
  try {
    const file = await openLineFile(`${dir}/input.log`, fail);
    for (let n = 0; n < 50; n++) file.write(`line ${n}`);
    await file.close();
    const expected = Array.from({ length: 50 }, (_, n) => `line ${n}\n`).join("");
    assert.equal(await Deno.readTextFile(`${dir}/input.log`), expected);
    await assert.rejects(openLineFile(`${dir}/none/input.log`, fail), {
      code: "input-log-unwritable",
      message: /none\/input\.log/,
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
