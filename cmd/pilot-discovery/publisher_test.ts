import assert from "node:assert/strict";
import type { ChangeSet } from "../../lib/translate/mod.ts";
import { createPublisher } from "./publisher.ts";

/** A publisher over something that applies when told to. */
function bench() {
  const waiting: string[] = [];
  const applied: (readonly [readonly string[], number | undefined])[] = [];
  let finish: (() => void) | undefined;
  const publisher = createPublisher({
    translation: {
      applyInPieces: async (changes, { pause }) => {
        const keys = (changes.objects ?? []).map(({ key }) => key);
        if (keys.length > 1) {
          await pause();
          await new Promise<void>((done) => finish = done);
        }
        applied.push([keys, publisher.since]);
        return 1;
      },
    },
    take: () => ({
      objects: waiting.splice(0).map((key) => ({ kind: "Gateway", key, object: undefined })),
    } satisfies ChangeSet),
    now: () => time,
  });
  let time = 1;
  return {
    applied,
    publisher,
    publish: (at: number, ...keys: string[]) => {
      time = at;
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

Deno.test("what is small is out when publishing returns", () => {
  const { publisher, publish, applied } = bench();
  publish(7, "a");
  assert.deepEqual(applied, [[["a"], 7]]);
  assert.ok(publisher.busy, "until the next turn");
});

Deno.test("what comes while something large is under way goes next, all of it together", async () => {
  const { publisher, publish, applied, finish } = bench();
  publish(7, "a", "b");
  assert.deepEqual([publisher.busy, publisher.since, applied], [true, 7, []]);
  publish(8, "c");
  publish(9, "d");
  await finish();
  await finish();
  await publisher.idle();
  assert.deepEqual(applied.map(([keys]) => keys), [["a", "b"], ["c", "d"]]);
  assert.deepEqual([publisher.busy, publisher.since], [false, undefined]);
});
