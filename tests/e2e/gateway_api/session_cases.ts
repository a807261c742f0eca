/**
 * Cases of sessions that stay with one endpoint, at gateways and between sidecars.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Answer, call, eventually, spread } from "../../../scripts/harness/mod.ts";
import { toYaml } from "../../../lib/kit/text/mod.ts";
import { documents, endpoint, manifest, NAMESPACE, type Spec } from "../../support/manifest.ts";
import type { Kind, TestProxy } from "../../support/world.ts";
import { api, type Bench, type GatewayCase, hostOf, route, service, to, urlOf } from "./bench.ts";

/** A service with two endpoints. */
function pair(bench: Bench, name: string, port: number): string {
  return manifest("ServiceEntry", name, {
    hosts: [hostOf(name)],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: port, name: "main", protocol: "HTTP" }],
    endpoints: bench.pair.map((backend) => endpoint(backend.port)),
  });
}

/** A rule with sessions. */
interface Ways {
  readonly path: string;
  /** The rule has two backends, one of them with two endpoints. */
  readonly several?: boolean;
  readonly session: Spec;
  /** Headers of the next request, from an answer; `undefined`: it begins no session. */
  next(answer: Answer): Record<string, string> | undefined;
}

const cookieOf = ({ headers }: Answer): string => headers["set-cookie"] ?? "";

function nextByCookie(answer: Answer): Record<string, string> | undefined {
  const cookie = /^[\w-]+="?[^";]+"?/.exec(cookieOf(answer))?.[0];
  return cookie === undefined ? undefined : { cookie };
}

const nextByHeader = ({ headers }: Answer): Record<string, string> | undefined =>
  headers["x-stay"] === undefined ? undefined : { "x-stay": headers["x-stay"] };

const WAYS: readonly Ways[] = [
  { path: "/cookie", session: { sessionName: "stay" }, next: nextByCookie },
  {
    path: "/permanent",
    session: {
      sessionName: "keep",
      absoluteTimeout: "1h",
      cookieConfig: { lifetimeType: "Permanent" },
    },
    next: nextByCookie,
  },
  { path: "/unnamed", session: {}, next: nextByCookie },
  {
    path: "/header",
    session: { type: "Header", sessionName: "x-stay" },
    next: nextByHeader,
  },
  { path: "/several", several: true, session: { sessionName: "s.t+ay" }, next: nextOfSeveral },
  {
    path: "/several-header",
    several: true,
    session: { type: "Header", sessionName: "X-Stay" },
    next: nextByHeader,
  },
];

/** A cookie among others. */
function nextOfSeveral(answer: Answer): Record<string, string> | undefined {
  const value = /^s\.t\+ay=("?[^;]+"?)/.exec(cookieOf(answer))?.[1];
  return value === undefined ? undefined : { cookie: `other=1; s.t+ay=${value}; last=2` };
}

/**
 * Rules of all ways.
 *
 * @param name the backend with two endpoints
 * @param other the other backend of rules with several
 * @param weight weight of the former there
 */
function rules(name: string, port: number, other: string, weight = 1): Spec[] {
  const backendRefs = [to(name, { port })];
  return [
    ...WAYS.map(({ path, session, several }) => ({
      matches: [{ path: { value: path } }],
      sessionPersistence: session,
      backendRefs: several ? [to(name, { port, weight }), to(other, { port })] : backendRefs,
    })),
    { backendRefs },
  ];
}

/** Headers of the next request of a session that begins at an endpoint. */
async function begins(
  name: string,
  url: string,
  host: string,
  next: Ways["next"],
): Promise<Record<string, string>> {
  let begun: Record<string, string> | undefined;
  await eventually(`a session at ${name} of ${url}`, async () => {
    const answer = await call(url, { host });
    if (answer.echo?.backend === name) begun = next(answer);
    return begun !== undefined;
  });
  return begun!;
}

/** A session stays with its backend after that has lost its weight; new ones begin elsewhere. */
async function staysWithoutWeight(bench: Bench, write: (weight: number) => Promise<void>) {
  const host = "stay.test";
  const sessions = new Map<string, Record<string, string>>();
  await bench.each("router", async (proxy) => {
    const url = `${urlOf(bench, proxy)}/several`;
    sessions.set(url, await begins("a", url, host, nextOfSeveral));
  });
  await write(0);
  for (const [url, headers] of sessions) {
    await eventually(
      `no new session at the backend without weight`,
      async () => (await spread(40, url, { host })).copies === 40,
    );
    assert.deepEqual(await spread(20, url, { host, headers }), { a: 20 });
    const strange = Object.fromEntries(
      Object.entries(headers).map((
        [name, value],
      ) => [name, value.replace(/[0-9a-f]{8}\./, "00000000.")]),
    );
    assert.deepEqual(await spread(20, url, { host, headers: strange }), { copies: 20 });
  }
}

/** Sessions of all ways stay with an endpoint of `host`, and other requests go to both. */
async function stays(bench: Bench, kind: Kind, host: string): Promise<void> {
  await bench.each(kind, async (proxy) => {
    const url = urlOf(bench, proxy);
    const cookies: Record<string, string> = {};
    // The threads of a proxy take a change one after the other.
    await eventually(
      `both endpoints of ${host}`,
      async () => Object.keys(await spread(40, `${url}/`, { host })).sort().join() === "a,b",
    );
    for (const { path, next, several } of WAYS) {
      const names = several ? ["a", "b", "copies"] : ["a"];
      for (const name of names) {
        const headers = await begins(name, `${url}${path}`, host, (answer) => {
          cookies[path] = cookieOf(answer);
          return next(answer);
        });
        assert.deepEqual(await spread(20, `${url}${path}`, { host, headers }), { [name]: 20 });
      }
    }
    assert.match(cookies["/cookie"]!, /^stay=.*; Path=\/cookie; HttpOnly/i);
    assert.doesNotMatch(cookies["/cookie"]!, /max-age|expires/i);
    assert.match(cookies["/permanent"]!, /^keep=.*Max-Age=3600/i);
    assert.match(cookies["/unnamed"]!, /^session-[0-9a-f]{12}=/);
    const plain = await call(`${url}/`, { host });
    assert.equal(plain.headers["set-cookie"], undefined);
  });
}

/** A policy of the Service `name`. */
function trafficPolicy(name: string): string {
  return toYaml({
    apiVersion: "gateway.networking.x-k8s.io/v1alpha1",
    kind: "XBackendTrafficPolicy",
    metadata: { name, namespace: NAMESPACE },
    spec: {
      targetRefs: [{ group: "", kind: "Service", name }],
      retryConstraint: {
        budget: { percent: 30, interval: "5s" },
        minRetryRate: { count: 4, interval: "1s" },
      },
      sessionPersistence: { sessionName: "policy" },
    },
  });
}

/** The retry budgets of a proxy's cluster, as JSON. */
async function budgets({ agent }: TestProxy, cluster: string): Promise<string> {
  const { configs } = await agent.configDump(cluster.replaceAll("|", "\\|"));
  return JSON.stringify(configs).match(/"retry_budget":\{.*?\}.*?\}/)?.[0] ?? "";
}

/** In an order that matters: each leaves its routes behind unless it removes them. */
export const SESSION_CASES: readonly GatewayCase[] = [
  {
    name: "sessions stay with an endpoint at gateways, by cookie and by header",
    run: async (bench) => {
      const write = (weight: number) =>
        bench.world.config.write(
          "sessions.yaml",
          documents(
            pair(bench, "pair", 80),
            route("HTTPRoute", "stay", {
              hostnames: ["stay.test"],
              rules: rules("pair", 80, "copies", weight),
            }),
          ),
        );
      await write(1);
      await stays(bench, "router", "stay.test");
      await staysWithoutWeight(bench, write);
      await bench.world.config.remove("sessions.yaml");
    },
  },
  {
    name: "sessions stay with an endpoint between sidecars",
    run: async (bench) => {
      const { meshPort: port } = bench;
      await bench.world.config.write(
        "mesh-sessions.yaml",
        documents(
          pair(bench, "inside-pair", port),
          service("inside-copies", bench.copies.port, { port }),
          api("HTTPRoute", "inside-stay", {
            parentRefs: [{ group: "", kind: "Service", name: "inside-pair" }],
            rules: rules("inside-pair", port, "inside-copies"),
          }),
        ),
      );
      await stays(bench, "sidecar", hostOf("inside-pair"));
      await bench.world.config.remove("mesh-sessions.yaml");
    },
  },
  {
    name: "a policy of a Service gives it sessions and a retry budget",
    run: async (bench) => {
      await bench.world.config.write(
        "traffic-policy.yaml",
        documents(
          pair(bench, "kept-pair", 80),
          route("HTTPRoute", "kept", {
            hostnames: ["kept.test"],
            rules: [{ backendRefs: [to("kept-pair")] }],
          }),
          trafficPolicy("kept-pair"),
        ),
      );
      await bench.each("router", async (proxy) => {
        const url = `${urlOf(bench, proxy)}/`;
        const headers = await begins("a", url, "kept.test", nextByCookie);
        assert.match(headers["cookie"] ?? "", /^policy=/);
        assert.deepEqual(await spread(20, url, { host: "kept.test", headers }), { a: 20 });
        const shown = await budgets(proxy, `outbound|80||${hostOf("kept-pair")}`);
        for (const part of [/"value":30/, /"min_retry_concurrency":4/]) {
          assert.match(shown, part);
        }
      });
      await bench.world.config.remove("traffic-policy.yaml");
    },
  },
];
