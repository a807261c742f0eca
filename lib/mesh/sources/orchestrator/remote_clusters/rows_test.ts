import assert from "node:assert/strict";
import type { ObjectChanges } from "../../../ingest/mod.ts";
import type { ConfigObject } from "../../../model/mod.ts";
import { createClusterRows } from "./rows.ts";

function row(name: string, digest: string): ConfigObject {
  return {
    meta: {
      kind: "Service",
      namespace: "default",
      name: name,
      labels: {},
      annotations: {},
      generation: 1,
      creationTime: 0,
      origin: { source: "any", uid: "u" },
    },
    spec: {},
    digest,
  };
}

function identity(name: string) {
  return { kind: "Service", namespace: "default", name: name };
}

function rows() {
  const reports: string[] = [];
  const objects = ({ upserts, deletes }: ObjectChanges): void => {
    const changed = upserts.map(({ meta, digest }) => `${meta.name} ${digest} ${meta.generation}`);
    reports.push([...changed, ...deletes.map(({ name }) => `-${name}`)].join(", "));
    for (const { meta } of upserts) {
      assert.deepEqual(meta.origin, { source: "cluster/b", cluster: "b", uid: "u" });
    }
  };
  const all = createClusterRows({ cluster: "b", source: "cluster/b", intake: { objects } });
  return { all, reports };
}

Deno.test("another registry takes over with the differences alone, in one report", () => {
  const { all, reports } = rows();
  const first = all.feed();
  first.objects({ upserts: [row("web", "1"), row("shop", "1")], deletes: [] });
  assert.deepEqual(reports, [], "nothing is reported before the feed is used");
  first.use();
  assert.deepEqual(reports.splice(0), ["web@b 1 1, shop@b 1 1"]);
  const second = all.feed();
  second.objects({ upserts: [row("web", "1"), row("new", "1"), row("gone", "1")], deletes: [] });
  second.objects({ upserts: [], deletes: [identity("gone")] });
  first.objects({ upserts: [row("web", "2")], deletes: [] });
  assert.deepEqual(reports.splice(0), ["web@b 2 2"], "the first one feeds until then");
  second.use();
  assert.deepEqual(reports.splice(0), ["web@b 1 3, new@b 1 1, -shop@b"]);
  first.objects({ upserts: [], deletes: [identity("web")] });
  assert.deepEqual(reports, [], "the first one is not heard any more");
  assert.equal(all.size, 2);
});

Deno.test("a removed cluster's rows are deleted", () => {
  const { all, reports } = rows();
  const feed = all.feed();
  feed.objects({ upserts: [row("web", "1")], deletes: [] });
  feed.use();
  all.clear();
  feed.objects({ upserts: [row("web", "2")], deletes: [] });
  assert.deepEqual(reports, ["web@b 1 1", "-web@b"]);
});
