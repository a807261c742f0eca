/**
 * Cases of recent Envoy settings in rules, and of rules for one of several proxies that share
 * routes.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest } from "../../support/manifest.ts";
import { type ClusterCase, hostOf, httpService } from "./case.ts";

const CODES = "codes";
const CHOSEN = "chosen";
const LOADED = "loaded";

export const RULE_CASES: readonly ClusterCase[] = [
  {
    name: "an endpoint is left out for the statuses that its rule names",
    file: CODES,
    documents: (parts) =>
      documents(
        httpService(CODES, parts, [endpoint(parts.backends.a.port)]),
        manifest("DestinationRule", CODES, {
          host: hostOf(CODES),
          trafficPolicy: {
            outlierDetection: {
              consecutive5xxErrors: 3,
              interval: "1s",
              baseEjectionTime: "120s",
              maxEjectionPercent: 100,
              outlierDetectionHttpErrorCodes: [429, 418],
            },
          },
        }),
      ),
    run: ({ each }) =>
      each(async (p) => {
        await p.answeredBy("a");
        const ask = (status: string) => p.spread(8, { headers: { "x-backend-status": status } });
        // Statuses that the rule does not name are not failures, whatever they are elsewhere.
        assert.deepEqual(await ask("500"), { "500": 8 });
        await p.answeredBy("a");
        await eventually("the endpoint to be left out", async () => {
          const found = await ask("429");
          return (found["503"] ?? 0) > 0;
        });
        assert.deepEqual(await p.spread(3), { "503": 3 });
      }),
  },
  {
    name: "a rule for one proxy's workload hashes its requests, and no other's",
    file: CHOSEN,
    documents: (parts) =>
      documents(
        httpService(CHOSEN, parts, [
          endpoint(parts.backends.a.port),
          endpoint(parts.backends.b.port),
        ]),
        manifest("DestinationRule", CHOSEN, {
          host: hostOf(CHOSEN),
          trafficPolicy: { loadBalancer: { simple: "ROUND_ROBIN" } },
        }),
        manifest("DestinationRule", `${CHOSEN}-hashed`, {
          host: hostOf(CHOSEN),
          workloadSelector: { matchLabels: { transport: "delta" } },
          trafficPolicy: { loadBalancer: { consistentHash: { httpHeaderName: "x-who" } } },
        }),
      ),
    run: ({ each }) =>
      each(async (p) => {
        await p.answeredBy("a", "b");
        const met = await p.spread(12, { headers: { "x-who": "somebody" } });
        assert.equal(Object.keys(met).length, p.transport === "delta" ? 1 : 2, JSON.stringify(met));
      }),
  },
  {
    name: "endpoints are weighed by the load that they report",
    file: LOADED,
    documents: (parts) =>
      documents(
        httpService(LOADED, parts, [
          endpoint(parts.backends.a.port),
          endpoint(parts.backends.b.port),
        ]),
        manifest("DestinationRule", LOADED, {
          host: hostOf(LOADED),
          trafficPolicy: { loadBalancer: { backendUtilization: { weightUpdatePeriod: "1s" } } },
        }),
      ),
    // The backends report nothing: until they do, all weigh the same.
    run: ({ each }) => each((p) => p.answeredBy("a", "b")),
  },
];
