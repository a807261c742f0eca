/**
 * The law: what the engine keeps up to date equals what a fresh graph computes
 * from the same rows, whatever happened in between; and the differences it tells
 * lead from what was to what is.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  checkAgainstScratch,
  checkAudits,
  checkEdits,
  checkSighting,
  checkView,
  outcome,
  rowsOf,
  sameMap,
  type Sighting,
  toObject,
  versions,
} from "../../../tests/support/graph_law/checks.ts";
import { type Edit, type Step, steps } from "../../../tests/support/graph_law/steps.ts";
import { createWorld, THINGS, type World } from "../../../tests/support/graph_law/world.ts";
import { type Collection, createGraph, type Derived, type GraphOptions, type View } from "./mod.ts";

/** Runs the steps on one world, and checks it where they say. */
class Run {
  readonly world: World;
  readonly #held = new Map<View, number>();
  #sightings: Sighting[] = [];
  #published = new Map<Collection, ReadonlyMap<string, string>>();
  /** The last notified value of each watched cell. */
  readonly #notified = new Map<string, unknown>();
  readonly #watches: { close(): void }[] = [];

  constructor(options: Pick<GraphOptions, "logLimit" | "feeds">) {
    let time = 0;
    this.world = createWorld(createGraph({ ...options, now: () => time++ }));
    for (const table of this.world.tables.slice(0, 4)) this.#watch(table, "t0");
  }

  #watch(table: Derived<unknown>, key: string): void {
    const watch = this.world.graph.watch(table, key, (value) => {
      assert.notDeepEqual(value, this.#notified.get(table.name), `${table.name} told twice`);
      this.#notified.set(table.name, value);
      assert.equal(watch.value, value);
    });
    this.#notified.set(table.name, watch.value);
    this.#watches.push(watch);
  }

  /** Every watcher has been notified of the present value. */
  #checkWatches(): void {
    for (const table of this.world.tables.slice(0, 4)) {
      const value = outcome(this.world, table, "t0");
      if (value !== "fault") assert.deepEqual(value, { value: this.#notified.get(table.name) });
    }
  }

  step(step: Step): void {
    const { graph, tables } = this.world;
    switch (step.do) {
      case "edit":
        return this.#edit(step.edits);
      case "publish":
        return this.#publish(step.check);
      case "peek":
        outcome(this.world, tables[step.table % tables.length]!, step.key);
        return;
      case "read":
        void this.world.collections()[step.which % 5]!.size;
        return;
      case "hold":
        return this.#hold(this.world.views()[step.which]!);
      case "drop":
        return this.#drop(this.world.views()[step.which]!);
      case "warm":
        return this.#warm(step.steps);
      case "prepare":
        for (let n = 0; n < step.steps; n++) if (graph.prepare(0)) break;
        return;
      case "evict":
        graph.evict(step);
    }
  }

  /** Publishes and compares everything; then releases everything and checks that nothing stays. */
  finish(): void {
    this.#publish(255);
    const { graph } = this.world;
    for (const view of [...this.#held.keys()]) this.#drop(view);
    for (const watch of this.#watches) watch.close();
    // Feeds keep their cells as long as their groups are there.
    this.#write(THINGS.map((key) => ({ table: "things", key, row: undefined })));
    graph.publish();
    graph.evict({ collections: 0, cells: 0 });
    // Cells that read each other in a circle hold each other.
    if (graph.faults().length > 0) return;
    const { cells, idle, rowsRead } = graph.stats();
    assert.deepEqual([cells, rowsRead, idle], [0, 0, { collections: 0, cells: 0, bytes: 0 }]);
  }

  #edit(edits: readonly Edit[]): void {
    const { graph } = this.world;
    const before = rowsOf(this.world);
    const last = graph.revision;
    const revision = this.#write(edits);
    const listed = graph.edits(last);
    if (listed !== undefined) checkEdits(listed, before, rowsOf(this.world), revision);
  }

  #write(edits: readonly Edit[]): number {
    const { graph, things, lists } = this.world;
    return graph.transaction((tx) => {
      for (const { table, key, row } of edits) {
        if (table === "things") {
          row === undefined ? tx.delete(things, key) : tx.set(things, key, row);
        } else row === undefined ? tx.delete(lists, key) : tx.set(lists, key, row);
      }
    });
  }

  /** Computes cells ahead; no held value may change. */
  #warm(steps: number): void {
    const seen = () => [...this.#held.keys()].map((view) => toObject(versions(view.entries())));
    seen(); // What is built by being looked at is built now.
    const before = seen();
    for (let n = 0; n < steps; n++) if (this.world.graph.warm(0)) break;
    assert.deepEqual(seen(), before);
  }

  #hold(view: View): void {
    if (this.#held.has(view)) return;
    for (const layer of view.layers) layer.retain();
    this.#held.set(view, 1);
  }

  #drop(view: View): void {
    if (!this.#held.delete(view)) return;
    for (const layer of view.layers) layer.release();
    this.#sightings = this.#sightings.filter((sighting) => sighting.view !== view);
  }

  #publish(check: number): void {
    const { graph } = this.world;
    const last = graph.published;
    this.#checkChanged(graph.publish(), last);
    this.#checkWatches();
    for (const sighting of this.#sightings) checkSighting(sighting, [...this.#held.keys()]);
    for (const view of this.#held.keys()) {
      checkView(this.world, view);
      this.#sightings.push({ view, revision: graph.published, content: versions(view.entries()) });
    }
    if (check % 2 === 1) checkAgainstScratch(this.world, check);
    if (check % 4 < 2) checkAudits(this.world, check % 3);
  }

  /** A held collection is reported when it differs from the last publication, and only with a log to show. */
  #checkChanged(changed: ReadonlySet<Collection>, last: number): void {
    const now = new Map<Collection, ReadonlyMap<string, string>>();
    for (const view of this.#held.keys()) {
      for (const layer of view.layers) now.set(layer, versions(layer.content.values()));
    }
    for (const [collection, content] of now) {
      const before = this.#published.get(collection);
      if (before === undefined) continue;
      if (!sameMap(before, content)) assert.ok(changed.has(collection), collection.name);
      if (changed.has(collection)) assert.notEqual(collection.since(last)?.length, 0);
    }
    this.#published = now;
  }
}

const options = fc.record({
  logLimit: fc.constantFrom(3, 10, 4096),
  feeds: fc.constantFrom("at once" as const, "ahead" as const),
});

type Case = [Step[], Pick<GraphOptions, "logLimit" | "feeds">];

/** A collection is evicted between two pieces of work ahead that look at its members. */
const EVICTED_BETWEEN_PIECES: Case = [[
  {
    "do": "edit",
    "edits": [{
      "table": "things",
      "key": "t0",
      "row": { "n": 0, "groups": [], "mode": 1, "link": "t4" },
    }, {
      "table": "things",
      "key": "t1",
      "row": { "n": 0, "groups": [], "mode": 1, "link": "t0" },
    }],
  },
  {
    "do": "edit",
    "edits": [{
      "table": "things",
      "key": "t2",
      "row": { "n": 0, "groups": ["g1"], "mode": 2, "link": "t0" },
    }, {
      "table": "things",
      "key": "t5",
      "row": { "n": 0, "groups": [], "mode": 1, "link": "t4" },
    }],
  },
  { "do": "publish", "check": 93 },
  {
    "do": "edit",
    "edits": [{
      "table": "things",
      "key": "t1",
      "row": { "n": 0, "groups": [], "mode": 1, "link": "t4" },
    }, {
      "table": "things",
      "key": "t4",
      "row": { "n": 0, "groups": ["g1", "g3"], "mode": 1, "link": "t0" },
    }],
  },
  { "do": "warm", "steps": 7 },
  { "do": "evict", "cells": 0, "collections": 0 },
  { "do": "warm", "steps": 1 },
  { "do": "edit", "edits": [{ "table": "things", "key": "t0", "row": undefined }] },
  { "do": "edit", "edits": [{ "table": "things", "key": "t0", "row": undefined }] },
], { "logLimit": 3, "feeds": "ahead" }];

function law(name: string, faults: boolean, numRuns: number, examples: Case[] = []): void {
  Deno.test(name, () => {
    fc.assert(
      fc.property(steps(faults), options, (all, graphOptions) => {
        const run = new Run(graphOptions);
        for (const step of all) run.step(step);
        run.finish();
      }),
      { numRuns, examples },
    );
  });
}

law("law: what is kept equals what is computed from scratch", false, 1000, [
  EVICTED_BETWEEN_PIECES,
]);
law("law: so it does with functions that throw and cells that read themselves", true, 600);
