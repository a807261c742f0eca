import assert from "node:assert/strict";
import { xdsType } from "../../model/mod.ts";
import { nameTable, newSubscription } from "../subscription/mod.ts";
import { responseEncoder } from "../wire/mod.ts";
import { RunningPush } from "./running_push.ts";

const TYPE = xdsType("type.googleapis.com/envoy.config.cluster.v3.Cluster");
const ENCODER = responseEncoder(TYPE, "delta", "test");
const SUBSCRIPTION = newSubscription(TYPE, ENCODER, nameTable());

const resource = (name: string) => ({ name, version: "1", bytes: new Uint8Array(100) });

function responseOf(names: readonly string[], removed: readonly string[] = []) {
  return { subscription: SUBSCRIPTION, resources: names.map(resource), removed, from: 0 };
}

Deno.test("a response is sent in slices that fit, with one resource at least, removed names last", () => {
  const push = new RunningPush();
  push.planned([responseOf(["a", "b", "c"], ["x", "y"]), responseOf(["d"])], 5);
  const size = ENCODER.size(resource("a"));
  const taken = () => {
    const { resources, removed, last } = push.takeSlice(2 * size);
    return [resources.map(({ name }) => name).join(""), removed.join(""), last];
  };
  assert.deepEqual(taken(), ["ab", "", false]);
  assert.deepEqual(taken(), ["c", "xy", true]);
  push.responseSent();
  assert.deepEqual(taken(), ["d", "", true]);
  push.responseSent();
  assert.equal(push.responses.length, 0);
  push.planned([responseOf(["e", "f"])], 6);
  assert.deepEqual(push.takeSlice(1).resources.map(({ name }) => name), ["e"]);
});

Deno.test("a push is for the oldest publication before its turn, and tells how long it waited", () => {
  const push = new RunningPush();
  assert.equal(push.begin(10), undefined, "it was not queued");
  assert.equal(push.finish(), undefined, "nothing was sent");
  push.queued(10);
  push.queued(12);
  push.published(11);
  push.published(13);
  assert.equal(push.begin(15), 5);
  push.planned([responseOf(["a"])], 15);
  push.published(16);
  assert.deepEqual(push.finish(), { startedAt: 15, publishedAt: 11 });
  push.begin(20);
  push.planned([responseOf(["a"])], 20);
  assert.deepEqual(push.finish(), { startedAt: 20, publishedAt: 16 });
});

Deno.test("a publication that was not sent completely counts for the next push", () => {
  const push = new RunningPush();
  push.published(1);
  push.begin(2);
  push.postpone();
  push.planned([responseOf(["a"])], 2);
  assert.deepEqual(push.finish(), { startedAt: 2, publishedAt: undefined });
  push.begin(3);
  push.planned([responseOf(["b"])], 3);
  assert.deepEqual(push.finish(), { startedAt: 3, publishedAt: 1 });
});

Deno.test("a push that is dropped leaves nothing, and the next one begins at its start", () => {
  const push = new RunningPush();
  push.planned([responseOf(["a", "b"])], 1);
  push.takeSlice(1);
  push.drop();
  assert.equal(push.responses.length, 0);
  push.planned([responseOf(["c", "d"])], 2);
  assert.deepEqual(push.takeSlice(Infinity).resources.map(({ name }) => name), ["c", "d"]);
});
