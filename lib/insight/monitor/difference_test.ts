import assert from "node:assert/strict";
import type { TypeStatus } from "../../mesh/xds/mod.ts";
import { oldestDifference } from "./difference.ts";

function session(types: Partial<TypeStatus>[]) {
  return { node: { name: "web", namespace: "shop" }, types } as never;
}

const sent = { nonce: "2", revision: 2, time: 500 };

Deno.test("without a difference there is none", () => {
  const same = session([{ short: "eds", sent, acked: { ...sent, time: 600 } }, { short: "lds" }]);
  const inputs = { faults: [], publishingSince: undefined, sessions: [same] };
  assert.equal(oldestDifference(inputs), undefined);
});

Deno.test("the oldest of faults, publications and unanswered or rejected responses is found", () => {
  const unanswered = session([{ short: "eds", sent, acked: { ...sent, nonce: "1", time: 100 } }]);
  const nack = { time: 300, message: "no", nonce: "1" } as never;
  const rejecting = session([{ short: "lds", sent, acked: undefined, nack }]);
  const of = (parts: object) =>
    oldestDifference({ faults: [], publishingSince: undefined, sessions: [], ...parts });
  const name = "web.shop eds";
  assert.deepEqual(of({ sessions: [unanswered] }), { part: "proxy", name, since: 500 });
  assert.equal(of({ sessions: [unanswered, rejecting] })?.since, 300);
  assert.equal(of({ sessions: [unanswered], publishingSince: 200 })?.part, "publication");
  const fault = { source: "services of cluster a", since: 50 };
  assert.deepEqual(of({ faults: [fault], publishingSince: 200 }), {
    part: "source",
    name: "services of cluster a",
    since: 50,
  });
});
