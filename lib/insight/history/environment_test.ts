/**
 * Each variable of history and audit, flipped in the environment.
 */
import assert from "node:assert/strict";
import {
  contentOf,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { useEnvironment } from "../../kit/env/mod.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";
import { startHistory } from "./mod.ts";

const EDITS = 5;

const service = (n: number): string =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: s${n}, namespace: one}
spec: {hosts: [s${n}.test], ports: [{number: 80, name: http, protocol: HTTP}], resolution: NONE}
`;

/** Revisions in the history after some edits, and intervals of the audit. */
async function observed(environment: Readonly<Record<string, string>>) {
  using _ = useEnvironment(environment);
  const { translation, set } = startTranslation();
  const intervals: number[] = [];
  await using running = await startHistory({
    translation,
    recorded: { domain: "cluster.local", clusterId: "test", features: {} as never },
    every: (ms) => {
      intervals.push(ms);
      return () => {};
    },
  });
  for (let n = 0; n < EDITS; n++) set(service(n));
  return { revisions: running.history.revisions().length, intervals };
}

Deno.test("MESH_HISTORY_REVISIONS bounds the history", async () => {
  assert.equal((await observed({})).revisions, EDITS);
  assert.equal((await observed({ MESH_HISTORY_REVISIONS: "2" })).revisions, 2);
});

Deno.test("MESH_SELFAUDIT_INTERVAL sets the interval of the audit, or disables it", async () => {
  assert.deepEqual((await observed({})).intervals, [3_000]);
  assert.deepEqual((await observed({ MESH_SELFAUDIT_INTERVAL: "7s" })).intervals, [7_000]);
  assert.deepEqual((await observed({ MESH_SELFAUDIT_INTERVAL: "0s" })).intervals, []);
});

Deno.test("MESH_SELFAUDIT_BUDGET bounds a round of the audit", async () => {
  const looked = async (budget: string): Promise<number> => {
    using _ = useEnvironment({ MESH_SELFAUDIT_BUDGET: budget });
    const { translation, set } = startTranslation();
    const rounds: (() => void)[] = [];
    await using running = await startHistory({
      translation,
      recorded: { domain: "cluster.local", clusterId: "test", features: {} as never },
      every: (_ms, run) => {
        rounds.push(run);
        return () => {};
      },
    });
    for (let n = 0; n < EDITS; n++) set(service(n));
    const view = translation.source.bind(proxyNode("one"), () => {}).view(TYPE_URLS.cluster);
    assert.ok(Object.keys(contentOf(view)).length >= EDITS);
    const real = performance.now.bind(performance);
    let elapsed = 0;
    performance.now = () => real() + (elapsed += 10);
    try {
      rounds[0]!();
    } finally {
      performance.now = real;
    }
    const { audited, skipped } = running.audit();
    return audited + skipped;
  };
  assert.equal(await looked("1ms"), 1);
  assert.ok(await looked("1m") > 1);
});
