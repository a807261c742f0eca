/** Log lines about applied changes. */
import assert from "node:assert/strict";
import type { Edit } from "../../mesh/graph/mod.ts";
import type { PublishedEvent } from "../../mesh/xds/mod.ts";
import { logChanges } from "./changes.ts";

function linesOf(edits: readonly Edit[] | undefined, concerns: unknown[] = []) {
  const lines: unknown[] = [];
  const info = (message: string, fields?: Record<string, unknown>) =>
    void lines.push([message, fields]);
  const event = { revision: 7, from: 6, time: 0, concerns } as unknown as PublishedEvent;
  logChanges({ edits: () => edits }, () => 12.4, { info }).published?.(event);
  return lines;
}

const edit = (name: string): Edit => ({ table: "Gateway", key: `shop/${name}` } as unknown as Edit);

Deno.test("a change is one line with objects, proxies, resources and milliseconds", () => {
  const layer = { since: () => [{ name: "a" }, { name: "a" }, { name: "b" }] };
  const stream = (id: string) => ({ stream: { node: { id } } });
  const view = { layers: [layer] };
  const concern = { view, before: view, subscribers: [stream("x"), stream("x"), stream("y")] };
  assert.deepEqual(linesOf([edit("one"), edit("one")], [concern, concern]), [[
    "applied a change",
    { objects: "Gateway shop/one", proxies: 2, resources: 2, ms: 12, revision: 7 },
  ]]);
});

Deno.test("a change of many objects names the first, a publication without edits is silent", () => {
  const many = Array.from({ length: 8 }, (_, i) => edit(`${i}`));
  const [line] = linesOf(many) as [[string, { objects: string }]];
  assert.match(line[1].objects, /^Gateway shop\/0, .*Gateway shop\/4, and 3 more$/);
  assert.deepEqual(linesOf([]), []);
  assert.match(JSON.stringify(linesOf(undefined)), /"objects":"unknown"/);
});
