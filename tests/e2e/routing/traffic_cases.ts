/**
 * Cases of weights, order of rules, retries, timeouts, faults and mirrors.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import { split, to } from "../../support/manifest.ts";
import type { Probe, RoutingCase } from "./case.ts";
import { SERVICE, SHADOW } from "./service.ts";

/** Longer than any timeout of a case, ms. */
const FOREVER = "60000";

/** Counts the responses of each backend, or each status, for a number of calls. */
async function count({ call }: Probe, calls: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let done = 0; done < calls; done += 10) {
    for (const { status, echo } of await Promise.all(Array.from({ length: 10 }, () => call()))) {
      const who = status === 200 ? echo?.backend ?? "nobody" : `${status}`;
      counts[who] = (counts[who] ?? 0) + 1;
    }
  }
  return counts;
}

/** A probe: of 400 calls so many are answered by each, give or take 9 percent of all. */
function shares(expected: Readonly<Record<string, number>>) {
  return async (probe: Probe): Promise<void> => {
    const calls = 400;
    const counts = await count(probe, calls);
    assert.deepEqual(Object.keys(counts).sort(), Object.keys(expected).sort());
    for (const [who, percent] of Object.entries(expected)) {
      const share = (counts[who] ?? 0) * 100 / calls;
      assert.ok(Math.abs(share - percent) <= 9, `${who}: ${share} % instead of ${percent} %`);
    }
  };
}

const SHARES: readonly RoutingCase[] = [
  {
    name: "share: no rule, all endpoints",
    exchanges: [{}],
    probe: shares({ v1: 50, v2: 50 }),
  },
  {
    name: "share: 80 to 20",
    http: [split(SERVICE, { v1: 80, v2: 20 })],
    exchanges: [{}],
    probe: shares({ v1: 80, v2: 20 }),
  },
  {
    name: "share: weights need not add up to 100",
    http: [split(SERVICE, { v1: 1, v2: 2 })],
    exchanges: [{}],
    probe: shares({ v1: 33, v2: 67 }),
  },
  {
    name: "share: a weight of 0 gets nothing",
    http: [split(SERVICE, { v1: 0, v2: 100 })],
    exchanges: [{ from: "v2" }],
    probe: shares({ v2: 100 }),
  },
  {
    name: "subset: by name",
    http: [to(SERVICE, "v2")],
    exchanges: Array.from({ length: 8 }, () => ({ from: "v2" })),
  },
  {
    name: "order: the first rule that matches wins",
    http: [
      { match: [{ uri: { prefix: "/a/b" } }], ...to(SERVICE, "v2") },
      { match: [{ uri: { prefix: "/a" } }], ...to(SERVICE, "v1") },
      { directResponse: { status: 410 } },
    ],
    exchanges: [
      { path: "/a/b/c", from: "v2" },
      { path: "/a/c", from: "v1" },
      { path: "/c", status: 410 },
    ],
  },
  {
    name: "order: nothing after a rule that takes everything",
    http: [
      to(SERVICE, "v1"),
      { match: [{ uri: { prefix: "/b" } }], ...to(SERVICE, "v2") },
    ],
    exchanges: [{ path: "/b", from: "v1" }, { path: "/", from: "v1" }],
  },
];

/** A probe: a request that fails so often first ends with a status after so many attempts. */
function attempts(failFirst: number, expected: { status: number; attempts: number }) {
  return async ({ call, key, backends }: Probe): Promise<void> => {
    const headers = { "x-request-key": key, "x-backend-fail-first": `${failFirst}` };
    const { status } = await call({ headers });
    const seen = backends.v1?.seen(key).length;
    assert.deepEqual({ status, attempts: seen }, expected);
  };
}

const RETRY = { retryOn: "5xx", backoff: "1ms" };

const RETRIES: readonly RoutingCase[] = [
  {
    name: "retry: until it works",
    http: [to(SERVICE, "v1", { retries: { ...RETRY, attempts: 3 } })],
    exchanges: [{ from: "v1" }],
    probe: attempts(3, { status: 200, attempts: 4 }),
  },
  {
    name: "retry: no more often than asked for",
    http: [to(SERVICE, "v1", { retries: { ...RETRY, attempts: 1 } })],
    exchanges: [{ from: "v1" }],
    probe: attempts(3, { status: 503, attempts: 2 }),
  },
  {
    name: "retry: on a status code",
    http: [to(SERVICE, "v1", { retries: { attempts: 2, retryOn: "503", backoff: "1ms" } })],
    exchanges: [{ from: "v1" }],
    probe: attempts(2, { status: 200, attempts: 3 }),
  },
  {
    name: "retry: not for other failures",
    http: [to(SERVICE, "v1", { retries: { attempts: 2, retryOn: "connect-failure" } })],
    exchanges: [{ from: "v1" }],
    probe: attempts(1, { status: 503, attempts: 1 }),
  },
  {
    name: "retry: 0 attempts are none",
    http: [to(SERVICE, "v1", { retries: { attempts: 0 } })],
    exchanges: [{ from: "v1" }],
    probe: attempts(1, { status: 503, attempts: 1 }),
  },
];

const TIMEOUTS: readonly RoutingCase[] = [
  {
    name: "timeout: the request",
    http: [to(SERVICE, "v1", { timeout: "0.3s" })],
    exchanges: [{ from: "v1" }, { headers: { "x-backend-delay-ms": FOREVER }, status: 504 }],
  },
  {
    // A local reply of gRPC has the status 200; 4 is DEADLINE_EXCEEDED.
    name: "timeout: the deadline of a gRPC call, for a rule without one",
    http: [to(SERVICE, "v1")],
    exchanges: [{ from: "v1" }, {
      headers: {
        "content-type": "application/grpc",
        "grpc-timeout": "300m",
        "x-backend-delay-ms": FOREVER,
      },
      status: 200,
      gets: { headers: { "grpc-status": "4" } },
    }],
  },
  {
    // 14 is UNAVAILABLE: the rule's timeout ended the call, not its deadline.
    name: "timeout: the rule's, for a gRPC call with a longer deadline",
    http: [to(SERVICE, "v1", { timeout: "0.3s" })],
    exchanges: [{ from: "v1" }, {
      headers: {
        "content-type": "application/grpc",
        "grpc-timeout": "1H",
        "x-backend-delay-ms": FOREVER,
      },
      status: 200,
      gets: { headers: { "grpc-status": "14" } },
    }],
  },
  {
    name: "timeout: the shorter deadline of a gRPC call",
    http: [to(SERVICE, "v1", { timeout: "600s" })],
    exchanges: [{ from: "v1" }, {
      headers: {
        "content-type": "application/grpc",
        "grpc-timeout": "300m",
        "x-backend-delay-ms": FOREVER,
      },
      status: 200,
      gets: { headers: { "grpc-status": "14" } },
    }],
  },
  {
    name: "timeout: each attempt",
    http: [to(SERVICE, "v1", { retries: { ...RETRY, attempts: 2, perTryTimeout: "0.2s" } })],
    exchanges: [{ from: "v1" }],
    probe: async ({ call, key, backends }) => {
      const headers = { "x-request-key": key, "x-backend-delay-ms": FOREVER };
      assert.equal((await call({ headers })).status, 504);
      assert.equal(backends.v1?.seen(key).length, 3);
    },
  },
];

const FAULTS: readonly RoutingCase[] = [
  {
    name: "fault: abort all",
    http: [
      to(SERVICE, "v1", { fault: { abort: { httpStatus: 418, percentage: { value: 100 } } } }),
    ],
    exchanges: [{ status: 418, gets: { headers: { "x-backend": null } } }],
  },
  {
    // The status is a header of the answer, which HTTP alone takes for a good one.
    name: "fault: abort with a status of gRPC",
    http: [
      to(SERVICE, "v1", {
        fault: { abort: { grpcStatus: "UNAVAILABLE", percentage: { value: 100 } } },
      }),
    ],
    exchanges: [{ status: 200, gets: { body: "fault filter abort" } }],
  },
  {
    name: "fault: abort half",
    http: [to(SERVICE, "v1", { fault: { abort: { httpStatus: 503, percentage: { value: 50 } } } })],
    exchanges: [],
    probe: async (probe) => {
      await eventually("an aborted request", async () => (await probe.call()).status === 503);
      await shares({ v1: 50, 503: 50 })(probe);
    },
  },
  {
    name: "fault: one rule only",
    http: [
      {
        match: [{ headers: { "x-user": { exact: "tester" } } }],
        ...to(SERVICE, "v1"),
        fault: { abort: { httpStatus: 500, percentage: { value: 100 } } },
      },
      to(SERVICE, "v1"),
    ],
    exchanges: [{ headers: { "x-user": "tester" }, status: 500 }, { from: "v1" }],
  },
  {
    name: "fault: delay",
    http: [
      to(SERVICE, "v1", { fault: { delay: { fixedDelay: "0.4s", percentage: { value: 100 } } } }),
    ],
    exchanges: [{ from: "v1" }],
    probe: async ({ call }) => {
      const started = performance.now();
      assert.equal((await call()).echo?.backend, "v1");
      const took = performance.now() - started;
      assert.ok(took >= 390, `took ${took} ms`);
    },
  },
];

const MIRRORS: readonly RoutingCase[] = [
  {
    name: "mirror: a copy goes elsewhere",
    http: [to(SERVICE, "v1", { mirror: { host: SHADOW }, mirrorPercentage: { value: 100 } })],
    exchanges: [{ from: "v1" }],
    probe: async ({ call, key, backends }) => {
      const answer = await call({ path: "/copied", headers: { "x-request-key": key } });
      assert.equal(answer.echo?.backend, "v1");
      const copy = await eventually("the copy", () => backends.shadow?.seen(key)[0]);
      assert.equal(copy.path, "/copied");
      assert.match(copy.host, /^mirror-a-copy-goes-elsewhere\.test/);
      assert.doesNotMatch(copy.host, /-shadow/);
    },
  },
  {
    name: "mirror: several, each with its share",
    http: [to(SERVICE, "v1", {
      mirrors: [
        { destination: { host: SHADOW }, percentage: { value: 100 } },
        { destination: { host: SERVICE, subset: "v2" }, percentage: { value: 0 } },
      ],
    })],
    exchanges: [{ from: "v1" }],
    probe: async ({ call, key, backends }) => {
      await call({ headers: { "x-request-key": key } });
      await eventually("the copy", () => backends.shadow?.seen(key)[0]);
      assert.deepEqual(backends.v2?.seen(key), []);
    },
  },
];

/** All of them. */
export const TRAFFIC_CASES: readonly RoutingCase[] = [
  ...SHARES,
  ...RETRIES,
  ...TIMEOUTS,
  ...FAULTS,
  ...MIRRORS,
];
