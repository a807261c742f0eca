import assert from "node:assert/strict";
import { expose } from "../../kit/metrics/mod.ts";
import { countBatch, countInbound } from "./mod.ts";

async function text(): Promise<string> {
  return String((await expose()).body);
}

Deno.test("batches and changes are counted under the names and buckets of the field", async () => {
  countInbound("svc");
  countBatch({ since: 0, waited: 200, triggers: new Set(["config", "endpoint"]) });
  const body = await text();
  assert.match(body, /^pilot_inbound_updates\{type="svc"\} 1$/m);
  assert.match(body, /^pilot_push_triggers\{type="config"\} 1$/m);
  assert.match(body, /^pilot_push_triggers\{type="endpoint"\} 1$/m);
  assert.match(body, /^pilot_debounce_time_count 1$/m);
  const bounds = [...body.matchAll(/^pilot_debounce_time_bucket\{le="([\d.]+)"\} (\d)$/gm)];
  assert.deepEqual(
    bounds.map(([, le, count]) => [Number(le), Number(count)]),
    [[.01, 0], [.1, 0], [.5, 1], [1, 1], [3, 1], [5, 1], [10, 1], [20, 1], [30, 1]],
  );
});
