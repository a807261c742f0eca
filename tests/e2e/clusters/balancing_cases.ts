/**
 * Cases of load balancing.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Answer, eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, type Spec } from "../../support/manifest.ts";
import {
  assertShares,
  type Bench,
  type ClusterCase,
  hostOf,
  httpService,
  type Parts,
  type Proxy,
} from "./case.ts";

/** A service of all three backends under a load balancer. */
function balanced(file: string, loadBalancer: Spec) {
  return (parts: Parts): string =>
    documents(
      httpService(file, parts, Object.values(parts.backends).map((b) => endpoint(b.port))),
      manifest("DestinationRule", file, {
        host: hostOf(file),
        trafficPolicy: { loadBalancer },
      }),
    );
}

const EVEN = { a: [15, 55], b: [15, 55], c: [15, 55] } as const;

const SIMPLE: readonly ClusterCase[] = ["ROUND_ROBIN", "RANDOM", "LEAST_REQUEST"].map((simple) => {
  const file = `balanced-${simple.toLowerCase().replace("_", "-")}`;
  return {
    name: `${simple} uses all endpoints alike`,
    file,
    documents: balanced(file, { simple }),
    run: ({ each }: Bench) =>
      each(async (p) => {
        await p.answeredBy("a", "b", "c");
        assertShares(await p.spread(150), EVEN);
      }),
  };
});

/** A way to say a key with a request. */
type Keyed = (proxy: Proxy, key: number) => Promise<Answer>;

/**
 * Sends requests with many keys, some of them several times: a key always meets
 * the same backend, through every proxy, and different keys meet different ones.
 */
async function assertSticks({ each }: Bench, send: Keyed): Promise<void> {
  const met = new Map<number, string>();
  await each(async (proxy) => {
    await eventually("an answer", async () => (await send(proxy, 1)).status === 200);
    for (let key = 1; key <= 24; key++) {
      for (let again = 0; again < 3; again++) {
        const { echo, status } = await send(proxy, key);
        const backend = echo?.backend ?? `${status}`;
        assert.equal(backend, met.get(key) ?? backend, `key ${key}`);
        met.set(key, backend);
      }
    }
  });
  assert.ok(new Set(met.values()).size > 1, "every key met the same backend");
}

interface Hash {
  readonly by: string;
  readonly consistentHash: Spec;
  readonly send: Keyed;
}

const HASHES: readonly Hash[] = [
  {
    by: "header",
    consistentHash: { httpHeaderName: "x-user" },
    send: ({ call }, key) => call({ headers: { "x-user": `user-${key}` } }),
  },
  {
    by: "query",
    consistentHash: { httpQueryParameterName: "user", ringHash: { minimumRingSize: 256 } },
    send: ({ call }, key) => call({ path: `/?user=user-${key}` }),
  },
  {
    by: "header-maglev",
    consistentHash: { httpHeaderName: "x-user", maglev: {} },
    send: ({ call }, key) => call({ headers: { "x-user": `user-${key}` } }),
  },
  {
    by: "source",
    consistentHash: { useSourceIp: true },
    send: ({ call }, key) => call({ localAddress: `127.0.9.${key}` }),
  },
  {
    by: "cookie",
    consistentHash: { httpCookie: { name: "user", ttl: "60s" } },
    send: ({ call }, key) => call({ headers: { cookie: `user=user-${key}` } }),
  },
];

const STICKY: readonly ClusterCase[] = HASHES.map(({ by, consistentHash, send }) => ({
  name: `consistent hash by ${by}`,
  file: `hash-${by}`,
  documents: balanced(`hash-${by}`, { consistentHash }),
  run: (bench) => assertSticks(bench, send),
}));

/** All of them. */
export const BALANCING_CASES: readonly ClusterCase[] = [
  ...SIMPLE,
  ...STICKY,
  {
    name: "a cookie is handed out to who has none",
    file: "hash-new-cookie",
    documents: balanced("hash-new-cookie", {
      consistentHash: { httpCookie: { name: "user", ttl: "60s", path: "/" } },
    }),
    run: ({ each }) =>
      each(async (p) => {
        await p.answeredBy("a", "b", "c");
        const first = await p.call();
        const given = first.headers["set-cookie"] ?? "";
        assert.match(given, /^user="?[^;]+"?; Max-Age=60; Path=\//);
        const cookie = given.slice(0, given.indexOf(";"));
        for (let i = 0; i < 10; i++) {
          const again = await p.call({ headers: { cookie } });
          assert.equal(again.echo?.backend, first.echo?.backend);
          assert.equal(again.headers["set-cookie"], undefined);
        }
      }),
  },
];
