/** Tests of samples of the last hour, and of their plots. */
import assert from "node:assert/strict";
import { debugInputs } from "../../../tests/support/debug_inputs.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import type { Edit } from "../../mesh/graph/mod.ts";
import type { AnswerEvent, RejectedEvent } from "../../mesh/xds/mod.ts";
import { startWeb } from "../../kit/web/mod.ts";
import { createSamples, debugRoutes, SAMPLE_MS, type Samples } from "./mod.ts";

const EDITS = ["a", "b"].map((key): Edit => ({ revision: 1, table: "T", key, kind: "set" }));

/** A record whose publications have two edits; those since revision 9 are not known. */
function record(limit?: number): Samples {
  return createSamples({ edits: (from) => from === 9 ? undefined : EDITS }, limit);
}

function publish({ observer }: Samples, revision: number, time: number): void {
  observer.published!({ revision, from: revision - 1, time, concerns: [] });
}

function answer(over: Partial<RejectedEvent>): RejectedEvent {
  return { from: 1, ...over } as AnswerEvent as RejectedEvent;
}

Deno.test("a sample has the events since the one before, and the state at its time", () => {
  const samples = record();
  publish(samples, 2, 1_000);
  publish(samples, 3, 2_000);
  samples.observer.acknowledged!(answer({ revision: 2, time: 1_400 }));
  samples.observer.rejected!(answer({ revision: 3, time: 2_700 }));
  // The first response to a proxy, and one to a publication that is no longer known.
  samples.observer.acknowledged!(answer({ revision: 3, time: 9_000, from: 0 }));
  samples.observer.acknowledged!(answer({ revision: 1, time: 9_000 }));
  samples.take({ time: 15_000, proxies: 7, memory: 100 });
  publish(samples, 10, 16_000);
  samples.take({ time: 30_000, proxies: 8, memory: 200 });
  assert.deepEqual(samples.recent(), [
    { time: 15_000, edits: 4, slowestMs: 700, refused: 1, proxies: 7, memory: 100 },
    { time: 30_000, edits: 0, refused: 0, proxies: 8, memory: 200 },
  ]);
});

Deno.test("samples are bounded: an hour, the oldest are dropped", () => {
  const samples = record();
  for (let at = 0; at < 500; at++) samples.take({ time: at * SAMPLE_MS, proxies: at, memory: 1 });
  assert.equal(samples.recent().length, 240);
  assert.equal(samples.recent()[0]!.proxies, 260);
  // The publications whose answers are measured are bounded, too.
  for (let revision = 20; revision < 320; revision++) publish(samples, revision, 0);
  samples.observer.acknowledged!(answer({ revision: 20, time: 50 }));
  samples.take({ time: 500 * SAMPLE_MS, proxies: 0, memory: 1 });
  assert.equal(samples.recent().at(-1)!.slowestMs, undefined);
});

async function overview(samples: Samples, now: number): Promise<string> {
  const { translation } = startTranslation();
  const inputs = debugInputs({
    mesh: translation.mesh,
    samples: () => samples.recent(),
    now: () => now,
  });
  const web = await startWeb({ name: "test", address: "127.0.0.1:0", routes: debugRoutes(inputs) });
  try {
    const answer = await fetch(`http://127.0.0.1:${web.address.port}/debug`, {
      headers: { accept: "text/html" },
    });
    return (await answer.text()).split("</style>")[1]!;
  } finally {
    await web.stop(0);
  }
}

Deno.test("the overview has plots of the last hour, with their numbers as text and as a table", async () => {
  const samples = record();
  const hour = 3_600_000;
  samples.take({ time: 1_000, proxies: 99, memory: 1 });
  publish(samples, 2, hour);
  samples.observer.rejected!(answer({ revision: 2, time: hour + 2_000 }));
  samples.take({ time: hour + 15_000, proxies: 7, memory: 3 << 20 });
  samples.take({ time: hour + 400_000, proxies: 5, memory: 2 << 20 });
  const html = await overview(samples, hour + 405_000);
  assert.equal(html.match(/<svg class="picture plot"[^>]* role="img"/g)?.length, 5);
  assert.match(html, /<title id="plot-edits-title">Edits, the last hour<\/title>/);
  const said = [...html.matchAll(/<desc id="plot-(\w+)-desc">([^<]*)/g)].map(([, id, text]) => [
    id,
    text!.replaceAll("\u00a0", " "),
  ]);
  assert.deepEqual(said, [
    ["edits", "2 in all"],
    ["convergence", "2s at most"],
    ["refusals", "1 in all"],
    ["proxies", "5 now, 7 at most"],
    ["memory", "2.0 MiB now, 3.0 MiB at most"],
  ]);
  assert.match(html, /<th scope="row">01:01:45Z<\/th><td data-label="Edits">0</);
  assert.match(html, /<th scope="row">00:56:45Z<\/th><td data-label="Edits">2</);
});

Deno.test("the overview says that there is no sample yet", async () => {
  assert.match(await overview(record(), 1_000), /no sample yet. One is taken each 15s/);
});
