/**
 * Cases of connection limits and outlier detection.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest } from "../../support/manifest.ts";
import { type ClusterCase, clusterOf, hostOf, httpService, statPrefix } from "./case.ts";

const LIMITED = "limited";
const OUTLIERS = "outliers";

export const LIMIT_CASES: readonly ClusterCase[] = [
  {
    name: "more requests than the pool takes are turned away",
    file: LIMITED,
    documents: (parts) =>
      documents(
        httpService(LIMITED, parts, [endpoint(parts.backends.a.port)]),
        manifest("DestinationRule", LIMITED, {
          host: hostOf(LIMITED),
          trafficPolicy: {
            connectionPool: {
              tcp: { maxConnections: 1 },
              http: { http1MaxPendingRequests: 1 },
            },
          },
        }),
      ),
    run: ({ each, ...parts }) =>
      each(async (p) => {
        await eventually("an answer", async () => (await p.call()).status === 200);
        const headers = { "x-backend-delay-ms": "300" };
        const answers = await Promise.all(
          Array.from({ length: 12 }, () => p.call({ headers })),
        );
        const turnedAway = answers.filter((a) => a.status === 503);
        assert.ok(turnedAway.length > 0 && turnedAway.length < 12, `${turnedAway.length} of 12`);
        assert.ok(turnedAway.every((a) => a.headers["x-envoy-overloaded"] === "true"));
        const stats = await p.agent.stats(
          statPrefix(clusterOf(LIMITED, parts)) + ".*upstream_rq_pending_overflow$",
        );
        const [overflow] = Object.values(stats);
        assert.ok((overflow ?? 0) >= turnedAway.length, JSON.stringify(stats));
      }),
  },
  {
    name: "an endpoint that keeps failing is left out",
    file: OUTLIERS,
    documents: (parts) =>
      documents(
        httpService(OUTLIERS, parts, [
          endpoint(parts.backends.a.port),
          endpoint(parts.backends.b.port),
        ]),
        manifest("DestinationRule", OUTLIERS, {
          host: hostOf(OUTLIERS),
          trafficPolicy: {
            loadBalancer: { simple: "ROUND_ROBIN" },
            outlierDetection: {
              consecutive5xxErrors: 3,
              interval: "1s",
              baseEjectionTime: "120s",
              maxEjectionPercent: 100,
            },
          },
        }),
      ),
    run: ({ each, ...parts }) =>
      each(async (p) => {
        await p.answeredBy("a", "b");
        const headers = { "x-backend-failing": "b" };
        const counts = await eventually("b to be left out", async () => {
          const found = await p.spread(20, { headers });
          return found["500"] === undefined && found;
        });
        assert.deepEqual(counts, { a: 20 });
        const stats = await p.agent.stats(
          statPrefix(clusterOf(OUTLIERS, parts)) + ".*ejections_active$",
        );
        assert.deepEqual(Object.values(stats), [1]);
      }),
  },
];
