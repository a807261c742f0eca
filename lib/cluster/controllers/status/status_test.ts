import assert from "node:assert/strict";
import type { MessageSummary } from "../../../mesh/model/mod.ts";
import { changeOf, createStatusCheck, type StatusItem, statusPatch } from "./status.ts";

const NOW = "2026-01-02T00:00:00Z";
const BEFORE = "2026-01-01T00:00:00Z";

const MESSAGE = { code: "MSH0101", name: "NotFound", level: "Error" } as const;

function patch(
  status: StatusItem["status"],
  { messages = [], rollout }: {
    messages?: MessageSummary[];
    rollout?: { acknowledged: number; rejected: number; concerned: number };
  },
) {
  const item: StatusItem = { metadata: { name: "a", generation: 3 }, ...(status && { status }) };
  return statusPatch(item, { messages, rollout }, NOW);
}

Deno.test("an object without messages and rollout gets no status", () => {
  assert.equal(patch(undefined, {}), undefined);
});

Deno.test("messages are written once, with the generation, and removed when they are gone", () => {
  const first = patch(undefined, { messages: [MESSAGE] });
  assert.deepEqual(first, {
    validationMessages: [{
      type: { name: "NotFound", code: "MSH0101" },
      level: "ERROR",
      documentationUrl: "docs/analysis.md#msh0101",
    }],
    observedGeneration: 3,
  });
  assert.equal(patch(first, { messages: [MESSAGE] }), undefined, "no further write");
  assert.equal(patch({ ...first, observedGeneration: "3" }, { messages: [MESSAGE] }), undefined);
  assert.deepEqual(patch(first, {}), { validationMessages: [], observedGeneration: 3 });
});

Deno.test("the condition counts proxies; its time changes with its status alone", () => {
  const other = { type: "Other", status: "True" };
  const done = {
    type: "Reconciled",
    status: "True",
    reason: "AllProxies",
    message: "reconciled: 2 of 2 proxies",
    lastTransitionTime: BEFORE,
  };
  const rollout = { acknowledged: 2, rejected: 0, concerned: 2 };
  const status = { conditions: [other, done], validationMessages: [], observedGeneration: 3 };
  assert.equal(patch(status, { rollout }), undefined);
  const partial = patch(status, { rollout: { ...rollout, acknowledged: 1, rejected: 1 } });
  assert.deepEqual(partial?.conditions, [other, {
    type: "Reconciled",
    status: "False",
    reason: "Rejected",
    message: "reconciled: 1 of 2 proxies, 1 rejected it",
    lastTransitionTime: NOW,
  }]);
});

Deno.test("conditions are written only if Mesh's condition changed", () => {
  const other = { type: "Other", status: "True" };
  const first = patch({ conditions: [other] }, { messages: [MESSAGE] });
  assert.equal(first?.validationMessages?.length, 1);
  assert.ok(!("conditions" in first!), "a patch replaces the whole list");
  const rollout = { acknowledged: 1, rejected: 0, concerned: 1 };
  assert.equal(patch({ conditions: [other] }, { rollout })?.conditions?.length, 2);
});

Deno.test("a patch with conditions holds for the version that was seen alone", () => {
  const item: StatusItem = { metadata: { name: "a", resourceVersion: "7" } };
  const conditions = [{ type: "Reconciled", status: "True" }];
  assert.deepEqual(changeOf(item, { conditions }), {
    metadata: { resourceVersion: "7" },
    status: { conditions },
  });
  assert.deepEqual(changeOf(item, { validationMessages: [] }), {
    status: { validationMessages: [] },
  });
});

Deno.test("a status is compared again only if the object, its messages or its proxies changed", () => {
  let compared = 0;
  const status = { validationMessages: [], observedGeneration: 3 };
  const plain: StatusItem = { metadata: { name: "a", generation: 3 }, status };
  const item = new Proxy(plain, {
    get(target, key) {
      if (key === "status") compared++;
      return Reflect.get(target, key);
    },
  });
  const check = createStatusCheck();
  const patches = (messages: MessageSummary[], rollout?: { concerned: number }) => {
    const before = compared;
    const facts = rollout && { acknowledged: 1, rejected: 0, ...rollout };
    const patch = check.of(item, { messages, rollout: facts }, NOW);
    return [patch !== undefined, compared > before];
  };
  assert.deepEqual(patches([]), [false, true]);
  assert.deepEqual(patches([]), [false, false]);
  assert.deepEqual(patches([MESSAGE]), [true, true]);
  assert.deepEqual(patches([MESSAGE]), [true, true], "a write that failed is tried again");
  assert.deepEqual(patches([], { concerned: 1 }), [true, true]);
  assert.deepEqual(patches([]), [false, false]);
});
