import assert from "node:assert/strict";
import { createReadiness, readyRoute } from "../../lib/insight/monitor/mod.ts";
import type { FollowState } from "../../lib/kit/orch/mod.ts";
import { reasonsOf } from "./ready.ts";

const STATE: FollowState = {
  synced: true,
  fault: undefined,
  faultSince: undefined,
  absent: false,
  objects: 1,
  lists: 1,
  watches: 1,
  events: 0,
  differentSince: undefined,
  checks: 0,
  lost: 0,
};

function typesOf(states: Readonly<Record<string, Partial<FollowState>>>) {
  return {
    list: () =>
      Object.entries(states).map(([resource, state]) => ({
        resource,
        state: () => ({ ...STATE, ...state }),
      })),
  };
}

Deno.test("reasons: missing objects and lost servers are named, followed types are not", () => {
  const lost = { fault: "GET /x: refused", faultSince: Date.UTC(2024, 0, 2) };
  const reasons = reasonsOf(typesOf({
    services: {},
    pods: { synced: false },
    nodes: { synced: false, ...lost },
    "gateways.networking.mesh.io": lost,
  }));
  const detail = "GET /x: refused";
  assert.deepEqual(reasons, [
    { text: "pods: the objects were not received yet" },
    {
      text: "nodes: the objects were not received yet; the API server cannot be read since " +
        "2024-01-02T00:00:00.000Z",
      detail,
    },
    {
      text: "gateways.networking.mesh.io: cannot be followed since 2024-01-02T00:00:00.000Z, the " +
        "last objects stay in use",
      detail,
    },
  ]);
});

Deno.test("/ready has the reasons with either status, and errors for callers on this machine", async () => {
  const readiness = createReadiness();
  const ask = async (local: boolean): Promise<[number, string]> => {
    const answer = await readyRoute(readiness).handler({ local } as never);
    return [answer.status, await answer.text()];
  };
  assert.deepEqual(await ask(true), [503, ""]);
  readiness.explain(() => [{ text: "a", detail: "b" }, { text: "c" }]);
  assert.deepEqual(await ask(true), [503, "a: b\nc\n"]);
  readiness.set(true);
  assert.deepEqual(await ask(false), [200, "a\nc\n"]);
});
