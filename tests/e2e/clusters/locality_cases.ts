/**
 * Cases of locality: preference, failover and weights.
 *
 * @module
 */
import { freePorts } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, type Spec } from "../../support/manifest.ts";
import {
  assertShares,
  type ClusterCase,
  hostOf,
  httpService,
  type Parts,
  type Proxy,
} from "./case.ts";

/** Locality of all proxies of the suite, as a label value. */
export const LOCALITY = "here.one.x";

/** One failure is enough, and everybody may be left out. */
const STRICT = {
  consecutive5xxErrors: 1,
  interval: "1s",
  baseEjectionTime: "120s",
  maxEjectionPercent: 100,
};

/** A service of such endpoints under such a policy. */
function localityCase(
  file: string,
  endpoints: (parts: Parts) => readonly Spec[],
  trafficPolicy: Spec,
): Pick<ClusterCase, "file" | "documents"> {
  return {
    file,
    documents: (parts) =>
      documents(
        httpService(file, parts, endpoints(parts)),
        manifest("DestinationRule", file, { host: hostOf(file), trafficPolicy }),
      ),
  };
}

const at = (port: number, locality: string, labels: Record<string, string> = {}): Spec =>
  endpoint(port, labels, { locality });

const everywhere = ({ backends: { a, b, c } }: Parts): Spec[] => [
  at(a.port, "here/one/x"),
  at(b.port, "here/two"),
  at(c.port, "there/one"),
];

/** Nobody listens there. */
const [DEAD = 1] = freePorts(1);

export const LOCALITY_CASES: readonly ClusterCase[] = [
  {
    name: "the nearest endpoints are used while they are well",
    ...localityCase("nearest", everywhere, { outlierDetection: STRICT }),
    run: ({ each }) => each((p) => p.answeredBy("a")),
  },
  {
    name: "without outlier detection nobody is preferred",
    ...localityCase("nobody-nearest", everywhere, {}),
    run: ({ each }) => each((p) => p.answeredBy("a", "b", "c")),
  },
  {
    name: "the next in distance stand in for endpoints that fail",
    ...localityCase(
      "stands-in",
      (parts) => [at(DEAD, "here/one/x"), ...everywhere(parts).slice(1)],
      {
        outlierDetection: STRICT,
      },
    ),
    run: ({ each }) => each((p) => p.answeredBy("b")),
  },
  {
    name: "the region that a rule names stands in before others",
    ...localityCase("region-stands-in", ({ backends: { a, b } }) => [
      at(DEAD, "here/one/x"),
      at(a.port, "elsewhere/one"),
      at(b.port, "there/one"),
    ], {
      outlierDetection: STRICT,
      loadBalancer: { localityLbSetting: { failover: [{ from: "here", to: "there" }] } },
    }),
    run: ({ each }) => each((p) => p.answeredBy("b")),
  },
  {
    name: "endpoints with the proxy's labels go first where a rule says so",
    ...localityCase("labels-first", ({ backends: { a, b } }) => [
      at(a.port, "there/one", { transport: "delta" }),
      at(b.port, "there/one", { transport: "sotw" }),
    ], {
      outlierDetection: STRICT,
      loadBalancer: { localityLbSetting: { failoverPriority: ["transport"] } },
    }),
    run: ({ each }) => each((p: Proxy) => p.answeredBy(p.transport === "delta" ? "a" : "b")),
  },
  {
    name: "localities get the shares of a rule",
    ...localityCase("shared", everywhere, {
      loadBalancer: {
        simple: "ROUND_ROBIN",
        localityLbSetting: {
          distribute: [{ from: "here/*", to: { "here/two": 80, "there/*": 20 } }],
        },
      },
    }),
    run: ({ each }) =>
      each(async (p) => {
        await p.answeredBy("b", "c");
        assertShares(await p.spread(200), { b: [65, 93], c: [7, 35] });
      }),
  },
  {
    name: "a rule for some workloads is for them alone",
    file: "selecting",
    documents: (parts) =>
      documents(
        httpService("selecting", parts, everywhere(parts)),
        manifest("DestinationRule", "selecting", {
          host: hostOf("selecting"),
          exportTo: ["."],
          workloadSelector: { matchLabels: { transport: "delta" } },
          trafficPolicy: { outlierDetection: STRICT },
        }),
      ),
    run: ({ each }) =>
      each((p) => p.transport === "delta" ? p.answeredBy("a") : p.answeredBy("a", "b", "c")),
  },
  {
    name: "a rule can switch the order of localities off",
    ...localityCase("switched-off", everywhere, {
      outlierDetection: STRICT,
      loadBalancer: { localityLbSetting: { enabled: false } },
    }),
    run: ({ each }) => each((p) => p.answeredBy("a", "b", "c")),
  },
];
