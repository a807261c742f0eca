import assert from "node:assert/strict";
import type { ChangeSet } from "./changes.ts";
import { createPublisher } from "./publisher.ts";

/** A publisher over a writer that takes one step more for a change of several objects. */
function bench() {
  const waiting: string[] = [];
  const published: (readonly [readonly string[], number | undefined])[] = [];
  let written: readonly string[] = [];
  let finish: (() => void) | undefined;
  let garbage = 0;
  const publisher = createPublisher({
    writer: {
      *writeInPieces(changes) {
        const keys = (changes.objects ?? []).map(({ key }) => key);
        if (keys.length > 1) yield;
        written = keys;
      },
    },
    target: {
      precompute: () => true,
      tidy: () => garbage === 0 || --garbage < 0,
      publish: () => void published.push([written, publisher.since]),
    },
    take: () => ({
      objects: waiting.splice(0).map((key) => ({ kind: "Gateway", key, object: undefined })),
    } satisfies ChangeSet),
    now: () => 0,
    pause: () => new Promise<void>((done) => finish = done),
  });
  return {
    published,
    publisher,
    /** Sets how many pieces of memory each publication leaves to give back. */
    leave: (pieces: number) => void (garbage = pieces),
    publish: (at: number, ...keys: string[]) => {
      waiting.push(...keys);
      publisher.publish(at);
    },
    finish: async () => {
      while (finish === undefined) await new Promise((next) => setTimeout(next, 0));
      finish();
      finish = undefined;
    },
  };
}

Deno.test("a small change is published before the call returns", () => {
  const { publisher, publish, published } = bench();
  publish(7, "a");
  assert.deepEqual(published, [[["a"], 7]]);
  assert.ok(publisher.busy, "until the next turn");
});

Deno.test("changes that arrive during a large publication are published next, together", async () => {
  const { publisher, publish, published, finish } = bench();
  publish(7, "a", "b");
  assert.deepEqual([publisher.busy, publisher.since, published], [true, 7, []]);
  publish(8, "c");
  publish(9, "d");
  await finish();
  await finish();
  await publisher.idle();
  assert.deepEqual(published.map(([keys]) => keys), [["a", "b"], ["c", "d"]]);
  assert.deepEqual([publisher.busy, publisher.since], [false, undefined]);
});

Deno.test("memory is given back in pieces after a publication, before the next one", async () => {
  const { publisher, publish, published, finish, leave } = bench();
  leave(2);
  publish(7, "a");
  assert.deepEqual(published, [[["a"], 7]]);
  publish(8, "b");
  await finish();
  assert.equal(published.length, 1, "the second piece is left");
  await finish();
  await publisher.idle();
  assert.equal(published.length, 2);
});
