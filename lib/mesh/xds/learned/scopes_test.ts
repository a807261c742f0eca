import assert from "node:assert/strict";
import { type LearnedName, LearnedScopes } from "./scopes.ts";

const [HOSTS, CLUSTERS] = ["hosts", "clusters"];
const WEB = { workload: "web", owner: "shop/web", typeUrl: HOSTS };

/** Scopes with a clock of the test, and the rows that they write. */
function start(most = 10) {
  const time = { now: 0 };
  const rows = new Set<string>();
  const row = ({ workload, typeUrl, name }: LearnedName) => `${workload} ${typeUrl} ${name}`;
  const scopes = new LearnedScopes({
    clock: () => time.now,
    keepMs: 100,
    most,
    write: (learned, forgotten) => {
      for (const one of learned) rows.add(row(one));
      for (const one of forgotten) rows.delete(row(one));
    },
  });
  return { time, scopes, rows: () => [...rows].sort() };
}

Deno.test("a name is given to later streams of the class, and to no others", () => {
  const { scopes } = start();
  assert.deepEqual(scopes.ask({}, WEB, ["80/a", "80/b"]), []);
  assert.deepEqual(scopes.begin({}, "web", HOSTS), ["80/a", "80/b"]);
  assert.deepEqual(scopes.begin({}, "web", CLUSTERS), []);
  assert.deepEqual(scopes.begin({}, "other", HOSTS), []);
});

Deno.test("a name that a connected stream asked for is not forgotten", () => {
  const { scopes, time, rows } = start();
  const asker = {};
  scopes.ask(asker, WEB, ["80/a"]);
  time.now = 1000;
  scopes.sweep();
  assert.deepEqual(scopes.begin({}, "web", HOSTS), ["80/a"]);
  scopes.end(asker);
  time.now = 1099;
  assert.deepEqual(scopes.begin({}, "web", HOSTS), ["80/a"], "its time begins with the end");
  time.now = 1100;
  assert.deepEqual(scopes.begin({}, "web", HOSTS), []);
  assert.deepEqual(rows(), ["web hosts 80/a"], "two streams were sent it");
});

Deno.test("a name goes when the last stream that was sent it has ended", () => {
  const { scopes, time, rows } = start();
  const [asker, reader] = [{}, {}];
  scopes.ask(asker, WEB, ["80/a"]);
  scopes.begin(reader, "web", HOSTS);
  scopes.end(asker);
  time.now = 200;
  scopes.sweep();
  assert.deepEqual(rows(), ["web hosts 80/a"]);
  scopes.end(reader);
  scopes.sweep();
  assert.deepEqual([rows(), scopes.list()], [[], []]);
});

Deno.test("a stream that asks for what it was sent keeps it, and counts once", () => {
  const { scopes } = start();
  scopes.ask({}, WEB, ["80/a"]);
  const second = {};
  scopes.begin(second, "web", HOSTS);
  scopes.ask(second, WEB, ["80/a", "80/a"]);
  assert.deepEqual(scopes.list().map(({ askers, holders }) => [askers, holders]), [[2, 2]]);
  scopes.end(second);
  assert.deepEqual(scopes.list().map(({ askers, holders }) => [askers, holders]), [[1, 1]]);
});

Deno.test("a class has a bound: names without a stream make room, others do not", () => {
  const { scopes, time, rows } = start(2);
  const first = {};
  scopes.ask(first, WEB, ["80/a"]);
  scopes.end(first);
  time.now = 1;
  const second = {};
  assert.deepEqual(scopes.ask(second, WEB, ["80/b", "80/c", "80/d"]), ["80/d"]);
  assert.deepEqual(rows(), ["web hosts 80/b", "web hosts 80/c"]);
  assert.deepEqual(scopes.ask({}, { ...WEB, workload: "other" }, ["80/d"]), []);
});

Deno.test("a name that made room and is asked for in the same request is there", () => {
  const { scopes, time, rows } = start(2);
  const [first, second] = [{}, {}];
  scopes.ask(first, WEB, ["80/a"]);
  scopes.end(first);
  time.now = 1;
  scopes.ask(second, WEB, ["80/b"]);
  scopes.end(second);
  assert.deepEqual(scopes.ask({}, WEB, ["80/c", "80/a"]), []);
  assert.deepEqual(rows(), ["web hosts 80/a", "web hosts 80/c"]);
});

Deno.test("an identity that claims many classes has a bound for all of them, and others have theirs", () => {
  const { scopes, time, rows } = start(2);
  const streams = Array.from({ length: 10 }, () => ({}));
  for (const [i, stream] of streams.entries()) {
    time.now = i;
    assert.deepEqual(scopes.ask(stream, { ...WEB, workload: `${i}` }, ["80/a", "80/b"]), []);
  }
  const eleventh = { ...WEB, workload: "10" };
  assert.deepEqual(scopes.ask({}, eleventh, ["80/a"]), ["80/a"], "all are held");
  assert.deepEqual(scopes.ask({}, { ...eleventh, owner: "shop/other" }, ["80/a"]), []);
  scopes.end(streams[3]!);
  assert.deepEqual(scopes.ask({}, { ...WEB, workload: "11" }, ["80/a", "80/b", "80/c"]), ["80/c"]);
  assert.deepEqual(rows().filter((row) => row.startsWith("3 ")), []);
});
