/**
 * Tests the metrics of serving, and that each of them changes.
 *
 * @module
 */
import assert from "node:assert/strict";
import { expose } from "../../kit/metrics/mod.ts";
import { nodeOf, world } from "../../../tests/support/discovery.ts";
import { TYPE_URLS } from "../model/mod.ts";

const { cluster: CDS, endpoint: EDS } = TYPE_URLS;

type Kind = "counter" | "gauge" | "histogram";

interface Expected {
  readonly name: string;
  readonly kind: Kind;
  readonly buckets?: readonly number[];
}

const LONG = [.1, .5, 1, 3, 5, 10, 20, 30];

const TABLE: readonly Expected[] = [
  { name: "pilot_proxy_convergence_time", kind: "histogram", buckets: LONG },
  { name: "pilot_proxy_queue_time", kind: "histogram", buckets: LONG },
  { name: "pilot_total_xds_internal_errors", kind: "counter" },
  { name: "pilot_total_xds_rejects", kind: "counter" },
  { name: "pilot_xds", kind: "gauge" },
  { name: "pilot_xds_cds_reject", kind: "gauge" },
  { name: "pilot_xds_config_size_bytes", kind: "histogram" },
  { name: "pilot_xds_eds_reject", kind: "gauge" },
  { name: "pilot_xds_expired_nonce", kind: "counter" },
  { name: "pilot_xds_lds_reject", kind: "gauge" },
  { name: "pilot_xds_push_time", kind: "histogram", buckets: [.01, .1, .5, 1, 3, 5, 10, 20, 30] },
  { name: "pilot_xds_pushes", kind: "counter" },
  { name: "pilot_xds_rds_reject", kind: "gauge" },
  { name: "pilot_xds_recv_max", kind: "gauge" },
  { name: "pilot_xds_send_time", kind: "histogram", buckets: [.01, .1, 1, 3, 5, 10, 20, 30] },
  { name: "pilot_xds_write_timeout", kind: "counter" },
];

async function text(): Promise<string> {
  return String((await expose()).body);
}

/** Sum of a metric (for a histogram, its count) over its labels. */
async function value(name: string): Promise<number> {
  const pattern = new RegExp(`^${name}(?:_count)?(?:\\{[^}]*\\})? ([\\d.e+-]+)$`, "gm");
  return [...(await text()).matchAll(pattern)].reduce((sum, [, n]) => sum + Number(n), 0);
}

for (const { name, kind, buckets } of TABLE) {
  Deno.test(`${name} is a ${kind}${buckets ? " with the field's buckets" : ""}`, async () => {
    const body = await text();
    assert.match(body, new RegExp(`^# TYPE ${name} ${kind}$`, "m"));
    if (!buckets) return;
    const series = new RegExp(`^${name}_bucket\\{(?:.*,)?le="([^"]+)"`, "gm");
    const found = new Set([...body.matchAll(series)].map(([, bound]) => Number(bound)));
    if (found.size === 0) return;
    assert.deepEqual([...found].filter(Number.isFinite), buckets);
  });
}

Deno.test("metrics of serving move with what they count", async () => {
  const before = new Map<string, number>();
  for (const { name } of TABLE) before.set(name, await value(name));
  const moved = async (name: string) => (await value(name)) - before.get(name)!;
  await using w = await world([CDS, EDS], {}, { changedAt: () => performance.now() - 2000 });
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS, resourceNamesSubscribe: [] });
  await proxy.take();
  w.set(CDS, { a: "1" });
  w.publish();
  const response = await proxy.next();
  proxy.answer(response, "a: no");
  proxy.answer({ typeUrl: CDS, nonce: "of another time" });
  await proxy.quiet();
  for (
    const name of [
      "pilot_proxy_convergence_time",
      "pilot_total_xds_rejects",
      "pilot_xds_cds_reject",
      "pilot_xds",
      "pilot_xds_expired_nonce",
    ]
  ) assert.equal(await moved(name), 1, name);
  for (
    const name of [
      "pilot_proxy_queue_time",
      "pilot_xds_config_size_bytes",
      "pilot_xds_push_time",
      "pilot_xds_pushes",
      "pilot_xds_send_time",
    ]
  ) assert.ok(await moved(name) >= 2, name);
  assert.ok(await value("pilot_xds_recv_max") >= nodeOf({}).id.length);
  const slow = /^pilot_proxy_convergence_time_bucket\{le="1"\} (\d+)$/m.exec(await text())![1];
  const all = /^pilot_proxy_convergence_time_count (\d+)$/m.exec(await text())![1];
  assert.ok(Number(all) > Number(slow), "the time before the publication counts");
  proxy.close();
  await w.until(() => w.xds.size === 0);
  assert.equal(await moved("pilot_xds"), 0);
  assert.equal(await moved("pilot_xds_cds_reject"), 0);
});

Deno.test("an error of the server's own is counted", async () => {
  const before = await value("pilot_total_xds_internal_errors");
  const failing = () => {
    throw new Error("an observer that fails");
  };
  await using w = await world([CDS], {}, { observers: [{ sent: failing }] });
  const proxy = w.delta();
  proxy.send({ typeUrl: CDS, resourceNamesSubscribe: [] });
  await proxy.take();
  assert.equal(await value("pilot_total_xds_internal_errors"), before + 1);
  proxy.close();
  await w.until(() => w.xds.size === 0);
});
