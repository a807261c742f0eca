import assert from "node:assert/strict";
import { differenceNow } from "./difference.ts";

function differenceOf(resource: { faultSince?: number; differentSince?: number }) {
  const orchestrator = { resources: () => [{ resource: "pods", ...resource }] };
  return differenceNow(
    { ingest: { publishingSince: undefined } } as never,
    { orchestrator, clusters: undefined } as never,
    { sessions: () => [] },
  );
}

Deno.test("objects that differ from the API server's, and a lost server, are differences", () => {
  assert.equal(differenceOf({}), undefined);
  const name = "pods of the daemon's cluster";
  assert.deepEqual(differenceOf({ differentSince: 5 }), { part: "source", name, since: 5 });
  assert.deepEqual(differenceOf({ faultSince: 3 }), { part: "source", name, since: 3 });
});
