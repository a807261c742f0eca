import assert from "node:assert/strict";
import { sharedScrapes } from "./scrape.ts";

/** Scrapes whose renderings take 10 ms of a clock that moves only by them and by waits. */
function world() {
  let time = 0;
  const rendered: number[] = [];
  const waits: number[] = [];
  const scrape = sharedScrapes({
    now: () => time,
    wait: (ms) => {
      waits.push(ms);
      time += ms;
      return Promise.resolve();
    },
    render: async () => {
      rendered.push(time);
      await Promise.resolve();
      time += 10;
      return { contentType: "text/plain", body: `rendered ${rendered.length}` };
    },
  });
  const text = async (accept = "") => new TextDecoder().decode((await scrape(accept)).bytes);
  return { text, rendered, waits, passes: (ms: number) => void (time += ms) };
}

Deno.test("clients that ask at once share a rendering", async () => {
  const { text, rendered } = world();
  const answers = await Promise.all(Array.from({ length: 100 }, () => text()));
  assert.deepEqual(new Set(answers), new Set(["rendered 1"]));
  assert.equal(rendered.length, 1);
});

Deno.test("a client that asks during a rendering gets one that began later", async () => {
  const { text } = world();
  const first = text();
  await Promise.resolve().then(() => Promise.resolve());
  const second = text();
  assert.deepEqual([await first, await second], ["rendered 1", "rendered 2"]);
});

Deno.test("each format is rendered by itself", async () => {
  const { text } = world();
  const both = await Promise.all([text(), text("application/openmetrics-text")]);
  assert.deepEqual(both, ["rendered 1", "rendered 2"]);
});

Deno.test("renderings take no more than a fifth of the time", async () => {
  const { text, waits, passes } = world();
  await text();
  await text();
  assert.deepEqual(waits, [40]);
  passes(100);
  await text();
  assert.deepEqual(waits, [40]);
});

Deno.test("after a failed rendering the next one is tried", async () => {
  let fails = true;
  const scrape = sharedScrapes({
    render: () =>
      fails ? Promise.reject(new Error("no")) : Promise.resolve({ contentType: "a", body: "b" }),
  });
  await assert.rejects(scrape(""), /no/);
  fails = false;
  assert.equal((await scrape("")).contentType, "a");
});
