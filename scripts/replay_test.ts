import assert from "node:assert/strict";
import { serviceEntry } from "../tests/support/corpus.ts";
import { startRecording } from "../lib/insight/history/mod.ts";
import { DEFAULT_FEATURES, startTranslation } from "../tests/support/translation_fixture.ts";
import { answerReplay } from "./replay.ts";

const PROXY = "--proxy=sidecar~10.0.0.1~app.ns-1~ns-1.svc.cluster.local";

/** Two publications: a service, and its first address changed. */
function recording(): { readonly text: string; readonly revisions: readonly number[] } {
  const bench = startTranslation();
  bench.set(serviceEntry(1));
  const lines: string[] = [];
  const options = { domain: "cluster.local", clusterId: "test", features: DEFAULT_FEATURES };
  const { graph, translation } = bench;
  const write = (line: string) => lines.push(line);
  const recorder = startRecording({
    graph,
    tables: translation.mesh.tables,
    options,
    clock: () => 0,
    write,
  });
  translation.source.onPublish((_, revision) => recorder.note(revision));
  const first = graph.published;
  bench.set(serviceEntry(1, 7));
  return { text: lines.map((line) => `${line}\n`).join(""), revisions: [first, graph.published] };
}

Deno.test("a recording is listed, shown for a proxy, compared, and one resource printed in full", () => {
  const { text, revisions: [first, second] } = recording();
  assert.equal(
    answerReplay(text, []),
    `${first}  1970-01-01T00:00:00.000Z  3 rows, all there are\n` +
      `${second}  1970-01-01T00:00:00.000Z  +ServiceEntry/ns-1/svc-1\n`,
  );
  const name = "outbound|80||svc-1.bench.example";
  const shown = answerReplay(text, [PROXY, `--revision=${first}`]);
  assert.ok(shown.startsWith(`revision ${first}, `) && shown.includes(`\nendpoint  ${name}  `));
  const difference = answerReplay(text, [PROXY, `--from=${first}`]);
  assert.match(difference, /^~ endpoint {2}outbound\|80\|\|svc-1\.bench\.example$/m);
  assert.match(difference, /10\.0\.1\.8/);
  assert.ok(!difference.includes("cluster  "));
  const one = answerReplay(text, [PROXY, `--name=${name}`]);
  assert.match(one, /"address": "10\.0\.1\.8"/);
  assert.throws(() => answerReplay(text, [PROXY, "--revision=0"]), { code: "input-log-invalid" });
});
