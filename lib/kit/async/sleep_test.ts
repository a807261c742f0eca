import assert from "node:assert/strict";
import { endsWithin, sleep } from "./mod.ts";

Deno.test("a sleep ends with its time, or without an error when its signal is aborted", async () => {
  assert.equal(await sleep(1), true);
  assert.equal(await sleep(1, new AbortController().signal), true);
  const stop = new AbortController();
  const ended = sleep(Infinity, stop.signal);
  stop.abort(new Error("not needed"));
  assert.equal(await ended, false);
  assert.equal(await sleep(Infinity, stop.signal), false, "aborted before");
});

Deno.test("a sleep leaves nothing at its signal, whichever way it ends", async () => {
  const stop = new AbortController();
  const { signal } = stop;
  const listeners = new Set<unknown>();
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
  const short = sleep(1, signal);
  assert.equal(listeners.size, 1);
  await short;
  assert.equal(listeners.size, 0);
});

Deno.test("a sleep longer than a timer holds is divided into several timers", async () => {
  const { setTimeout } = globalThis;
  const times: number[] = [];
  globalThis.setTimeout = ((run: () => void, ms: number) => {
    times.push(ms);
    return setTimeout(run, 0);
  }) as typeof setTimeout;
  try {
    assert.equal(await sleep(2 ** 31 + 9), true);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assert.deepEqual(times, [2 ** 31 - 1, 10]);
});

Deno.test("work is waited for at most for a time; its failure is passed on", async () => {
  assert.equal(await endsWithin(60_000, Promise.resolve()), true);
  assert.equal(await endsWithin(1, new Promise(() => {})), false);
  await assert.rejects(endsWithin(60_000, Promise.reject(new Error("no"))), /no/);
});
