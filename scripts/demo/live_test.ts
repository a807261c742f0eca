import assert from "node:assert/strict";
import { type Line, linesOf, type Mistake, type Observed, type Receipt } from "./live.ts";

const NOTHING: Observed = { receipts: [], problems: [], warnings: [], mistakes: [] };
const RECEIPT: Receipt = {
  kind: "VirtualService",
  namespace: "demo",
  name: "shop",
  generation: 2,
  revision: 7,
  resourceCount: 1,
  sessions: { concerned: 2, acknowledged: 2, superseded: 0, rejected: 0 },
  complete: true,
  p99Ms: 12,
  streams: [],
};
const PROBLEM = {
  file: "a.yaml",
  line: 3,
  column: 5,
  path: "spec.hosts",
  message: "no host",
  remedy: "Name one.",
  lastGoodServes: true,
};
const MISTAKE: Mistake = {
  code: "MSH0101",
  message: "There is no v3",
  remedy: "Use v1.",
  origin: "VirtualService demo/shop",
  file: "a.yaml",
  line: 1,
  path: "spec.http",
};
const PENDING = { ...RECEIPT, complete: false, sessions: { ...RECEIPT.sessions, acknowledged: 1 } };
const REJECTED = {
  ...RECEIPT,
  sessions: { concerned: 2, acknowledged: 1, superseded: 0, rejected: 1 },
  streams: [{ message: "bad regex" }],
};
const UNUSED = { ...RECEIPT, sessions: { ...RECEIPT.sessions, concerned: 0, acknowledged: 0 } };
const SHOP = "VirtualService demo/shop";
const REFUSED = "a.yaml:3:5 spec.hosts: no host. Name one. The last good version keeps serving.";

const CASES: readonly [string, Partial<Observed>, Partial<Observed>, Line["label"], string][] = [
  [
    "an applied edit",
    {},
    { receipts: [RECEIPT] },
    "applied",
    `${SHOP}: 1 resource changed, 2 of 2 proxies accepted after 12 ms`,
  ],
  [
    "a deleted object without proxies",
    {},
    { receipts: [{ ...UNUSED, generation: undefined }] },
    "applied",
    `${SHOP} (deleted): no connected proxy needs it`,
  ],
  [
    "an edit on its way",
    {},
    { receipts: [PENDING] },
    "pending",
    `${SHOP}: 1 resource changed, 1 of 2 proxies accepted so far`,
  ],
  [
    "an edit that a proxy rejects",
    { receipts: [PENDING] },
    { receipts: [REJECTED] },
    "rejected",
    `${SHOP}: a proxy rejected it: bad regex`,
  ],
  ["a rejected file", {}, { problems: [PROBLEM] }, "rejected", REFUSED],
  ["a repaired file", { problems: [PROBLEM] }, {}, "repaired", "a.yaml"],
  [
    "a likely mistake",
    {},
    { mistakes: [MISTAKE] },
    "warning",
    `${SHOP}: There is no v3 (MSH0101). In a.yaml:1 spec.http. Use v1.`,
  ],
  ["its end", { mistakes: [MISTAKE] }, {}, "cleared", `${SHOP}: There is no v3 (MSH0101)`],
];
for (const [name, before, now, label, text] of CASES) {
  Deno.test(`the demo prints ${name} once`, () => {
    const later = { ...NOTHING, ...now };
    assert.deepEqual(linesOf({ ...NOTHING, ...before }, later), [{ label, text }]);
    assert.deepEqual(linesOf(later, later), []);
  });
}
