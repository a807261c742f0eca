import assert from "node:assert/strict";
import { resource, shown } from "../fixture.ts";
import { text } from "../../../kit/key/mod.ts";
import { type Collection, createGraph, type Graph, type Resource } from "../mod.ts";

/** A graph whose clock moves a millisecond with each look, so that a piece of 0 ms is one cell. */
function ticking() {
  let time = 0;
  return createGraph({ now: () => ++time });
}

Deno.test("retained collections are built ahead of use, in small pieces", () => {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const all = graph.index(rows, "all", { bucket: text, member: text }, (_, key) => [["all", key]]);
  const listed = graph.derive<readonly string[], string>(
    "listed",
    text,
    (read) => read.members(all, "all"),
  );
  const resources = graph.derive<readonly Resource[], string>(
    "resources",
    text,
    (read, key) => [resource(key, read.get(rows, key))],
  );
  graph.transaction((tx) => {
    for (const key of ["a", "b", "c"]) tx.set(rows, key, "1");
  });
  const byBucket = graph.collection("by bucket", () => ({
    members: { index: all, buckets: ["all"] },
    resources,
  }));
  const byList = graph.collection("by list", () => ({
    members: { listFrom: [listed, ""] },
    resources,
    keyOf: (member) => member.toUpperCase(),
  }));
  byBucket.retain();
  byList.retain();
  let pieces = 1;
  while (!graph.prepare(0)) pieces++;
  assert.ok(pieces > 5, `${pieces} pieces`);
  assert.equal(graph.stats().computedByTable.resources, 6);
  graph.resetStats();
  assert.deepEqual(shown(byBucket.content.values()), ["a@1", "b@1", "c@1"]);
  assert.deepEqual(shown(byList.content.values()).length, 3);
  assert.equal(graph.stats().computed, 0, "building took what was there");
});

Deno.test("an edit while a collection is being built is in it", () => {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const resources = graph.derive<readonly Resource[], string>("resources", text, (read, key) => {
    const version = read.get(rows, key);
    return version === undefined ? [] : [resource(key, version)];
  });
  const fixed = graph.collection("fixed", () => ({
    members: { list: ["a", "b"] },
    resources,
  }));
  graph.transaction((tx) => tx.set(rows, "a", "1"));
  fixed.retain();
  assert.equal(graph.prepare(0), false);
  graph.transaction((tx) => tx.set(rows, "a", "2"));
  while (!graph.prepare(0));
  assert.deepEqual(shown(fixed.content.values()), ["a@2"], "an edit in between is seen");
  assert.deepEqual([...graph.publish()], []);
});

Deno.test("a publication leaves what is being built to the next piece, which brings it up to date", () => {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const all = graph.index(rows, "all", { bucket: text, member: text }, (_, key) => [["all", key]]);
  const resources = graph.derive<readonly Resource[], string>(
    "resources",
    text,
    (read, key) => [resource(key, read.get(rows, key))],
  );
  const set = (keys: string, version: string) =>
    graph.transaction((tx) => {
      for (const key of keys) tx.set(rows, key, version);
    });
  set("abcdef", "1");
  const members = { index: all, buckets: ["all"] };
  const kept = graph.collection("kept", () => ({ members, resources }));
  kept.retain();
  assert.equal(graph.prepare(0), false);
  assert.equal(graph.stats().computedByTable.resources, 1);
  set("ag", "2");
  graph.transaction((tx) => tx.delete(rows, "b"));
  assert.deepEqual([...graph.publish()], []);
  assert.equal(graph.stats().computedByTable.resources, 1, "no more of it");
  let pieces = 0;
  while (!graph.prepare(0)) pieces++;
  assert.equal(pieces, 7, "one for each member that came, may have changed or went");
  assert.deepEqual(shown(kept.content.values()), ["a@2", "c@1", "d@1", "e@1", "f@1", "g@2"]);
  set("c", "3");
  assert.deepEqual([...graph.publish()], [kept]);
  const entry = { revision: graph.published, name: "c", before: resource("c", "1") };
  assert.deepEqual(kept.since(graph.published - 1), [entry]);
});

Deno.test("a collection that depends on another waits until that is built, also in pieces", () => {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const parts = graph.derive<readonly Resource[], string>(
    "parts",
    text,
    (read, key) => [resource(key, read.get(rows, key))],
  );
  const list = { list: ["a", "b", "c", "d"] };
  const below = graph.collection("below", () => ({ members: list, resources: parts }));
  const whole = graph.derive<readonly Resource[], string>(
    "whole",
    text,
    (read, key) => [resource(key, [...read.content(below).keys()].join(""))],
  );
  const above = graph.collection("above", () => ({ members: { list: ["w"] }, resources: whole }));
  graph.transaction((tx) => tx.set(rows, "a", "1"));
  above.retain();
  const made = () => graph.stats().computedByTable.parts ?? 0;
  for (let before = made(); !graph.prepare(0); before = made()) {
    assert.ok(made() - before <= 1, "no more than one a piece");
  }
  assert.equal(made(), 4);
  graph.resetStats();
  assert.deepEqual(shown(above.content.values()), ["w@abcd"]);
  assert.equal(graph.stats().computed, 0, "it was there");
});

/** Makes two collections that read each other; returns one. */
function circular(graph: Graph): Collection {
  let second: Collection | undefined = undefined;
  const one = graph.derive<readonly Resource[], string>(
    "one",
    text,
    (read, key) => [resource(key, `${read.content(second!).size}`)],
  );
  const first = graph.collection("first", () => ({ members: { list: ["a"] }, resources: one }));
  const two = graph.derive<readonly Resource[], string>(
    "two",
    text,
    (read, key) => [resource(key, `${read.content(first).size}`)],
  );
  second = graph.collection("second", () => ({ members: { list: ["b"] }, resources: two }));
  return first;
}

Deno.test("collections that depend on each other are refused, in pieces as in one build", () => {
  const graph = ticking();
  const first = circular(graph);
  first.retain();
  for (let pieces = 0; !graph.prepare(0); pieces++) assert.ok(pieces < 9, "it ends");
  assert.ok(graph.faults().some(({ error }) => /depends on itself/.test(String(error))));
});

/** Keys that cells read collections for, which nobody has read before. */
function nested() {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const list = graph.derive<readonly string[], string>(
    "list",
    text,
    (read, key) => (read.get(rows, key) ?? "").split("").filter((one) => one !== ""),
  );
  const small = graph.derive<readonly Resource[], string>(
    "small",
    text,
    (read, key) => [resource(key, read.get(rows, "version"))],
  );
  const within = (key: string) =>
    graph.collection(`within ${key}`, () => ({
      members: { list: [1, 2, 3].map((i) => `${key}${i}`) },
      resources: small,
    }));
  const joined = graph.derive<readonly Resource[], string>("joined", text, (read, key) => {
    const versions = [...read.content(within(key)).values()].map(({ version }) => version);
    return [resource(key, versions.join())];
  });
  const all = graph.collection("all", () => ({
    members: { listFrom: [list, "keys"] },
    resources: joined,
  }));
  all.retain();
  const set = (key: string, value: string) => graph.transaction((tx) => tx.set(rows, key, value));
  return { graph, all, set };
}

Deno.test("a collection that nobody has read is built ahead for the cells that read it", () => {
  const { graph, all, set } = nested();
  set("version", "1");
  assert.deepEqual(shown(all.content.values()), []);
  graph.publish();
  set("keys", "ab");
  let pieces = 1;
  while (!graph.warm(0)) pieces++;
  assert.ok(pieces >= 6, `${pieces} pieces, one for each member at least`);
  assert.deepEqual(shown(all.content.values()), [], "readers see what is published");
  graph.resetStats();
  assert.deepEqual([...graph.publish()], [all]);
  assert.equal(graph.stats().computed, 0, "nothing was left");
  assert.deepEqual(shown(all.content.values()), ["a@1,1,1", "b@1,1,1"]);
});

Deno.test("an edit before a publication reaches the collections that were built ahead for it", () => {
  const { graph, all, set } = nested();
  set("version", "1");
  assert.deepEqual(shown(all.content.values()), []);
  graph.publish();
  set("keys", "ab");
  while (!graph.warm(0));
  set("version", "2");
  while (!graph.warm(0));
  graph.publish();
  assert.deepEqual(shown(all.content.values()), ["a@2,2,2", "b@2,2,2"]);
});

Deno.test("a collection that reads one with readers waits for the publication", () => {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const made = graph.derive<readonly Resource[], string>(
    "made",
    text,
    (read, key) => [resource(key, read.get(rows, key))],
  );
  const seen = graph.collection("seen", () => ({ members: { list: ["a"] }, resources: made }));
  const copied = graph.derive<readonly Resource[], string>(
    "copied",
    text,
    (read, key) => [resource(key, read.content(seen).get("a")?.version)],
  );
  const copies = graph.collection(
    "copies",
    () => ({ members: { list: ["c"] }, resources: copied }),
  );
  const whole = graph.derive<readonly Resource[], string>("whole", text, (read, key) => {
    if (read.get(rows, "b") === undefined) return [];
    return [resource(key, read.content(copies).get("c")?.version)];
  });
  const all = graph.collection("all", () => ({ members: { list: ["w"] }, resources: whole }));
  for (const one of [seen, all]) one.retain();
  graph.transaction((tx) => tx.set(rows, "a", "1"));
  assert.deepEqual([seen.size, all.size], [1, 0]);
  graph.publish();
  graph.transaction((tx) => {
    tx.set(rows, "a", "2");
    tx.set(rows, "b", "1");
  });
  for (let pieces = 0; !graph.warm(0); pieces++) assert.ok(pieces < 20, "it ends");
  assert.deepEqual(shown(seen.content.values()), ["a@1"], "readers see what is published");
  graph.publish();
  assert.deepEqual(shown(seen.content.values()), ["a@2"]);
  assert.deepEqual(shown(all.content.values()), ["w@2"]);
});

Deno.test("collections that depend on each other are refused ahead of a publication, too", () => {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const first = circular(graph);
  const whole = graph.derive<readonly Resource[], string>(
    "whole",
    text,
    (read, key) => read.get(rows, key) === undefined ? [] : [...read.content(first).values()],
  );
  const all = graph.collection("all", () => ({ members: { list: ["w"] }, resources: whole }));
  all.retain();
  assert.equal(all.size, 0);
  graph.publish();
  graph.transaction((tx) => tx.set(rows, "w", "1"));
  for (let pieces = 0; !graph.warm(0); pieces++) assert.ok(pieces < 20, "it ends");
  assert.deepEqual(graph.faults(), []);
  graph.publish();
  assert.ok(graph.faults().some(({ error }) => /depends on itself/.test(String(error))));
});

Deno.test("new members get their cells ahead of a publication, and readers see them after it", () => {
  const graph = ticking();
  const rows = graph.input<string>("rows");
  const listed = graph.derive<readonly string[], string>(
    "listed",
    text,
    (read, key) => (read.get(rows, key) ?? "").split("").filter((one) => one !== ""),
  );
  const resources = graph.derive<readonly Resource[], string>(
    "resources",
    text,
    (_, key) => [resource(key, "1")],
  );
  let keys = 0;
  const all = graph.collection("all", () => ({
    members: { listFrom: [listed, "keys"] },
    resources,
    keyOf: (member) => {
      keys++;
      if (member === "x") throw new Error("no key");
      return member;
    },
  }));
  all.retain();
  const list = (keys: string) => graph.transaction((tx) => tx.set(rows, "keys", keys));
  list("a");
  assert.equal(all.size, 1);
  graph.publish();
  list("abcx");
  while (!graph.warm(0));
  assert.equal(keys, 4);
  assert.deepEqual([all.size, graph.faults().length], [1, 0], "readers see what is published");
  graph.publish();
  assert.equal(keys, 5, "the publication needs only the key that there is none of");
  assert.deepEqual(shown(all.content.values()), ["a@1", "b@1", "c@1"]);
  assert.equal(graph.faults().length, 1);
  list("abd");
  while (!graph.warm(0));
  list("ab");
  graph.publish();
  assert.deepEqual(shown(all.content.values()), ["a@1", "b@1"], "a member that did not stay");
});
