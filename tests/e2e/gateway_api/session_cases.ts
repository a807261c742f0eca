/**
 * Cases of sessions that stay with one endpoint, at gateways and between sidecars.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Answer, call, eventually, spread } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, type Spec } from "../../support/manifest.ts";
import type { Kind } from "../../support/world.ts";
import { api, type Bench, type GatewayCase, hostOf, route, to, urlOf } from "./bench.ts";

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
  readonly session: Spec;
  /** Headers of the next request, from an answer; `undefined`: it begins no session. */
  next(answer: Answer): Record<string, string> | undefined;
}

const cookieOf = ({ headers }: Answer): string => headers["set-cookie"] ?? "";

function nextByCookie(answer: Answer): Record<string, string> | undefined {
  const cookie = /^[\w-]+="?[^";]+"?/.exec(cookieOf(answer))?.[0];
  return cookie === undefined ? undefined : { cookie };
}

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
    next: ({ headers }) =>
      headers["x-stay"] === undefined ? undefined : { "x-stay": headers["x-stay"] },
  },
];

function rules(name: string, port: number): Spec[] {
  const backendRefs = [to(name, { port })];
  return [
    ...WAYS.map(({ path, session }) => ({
      matches: [{ path: { value: path } }],
      sessionPersistence: session,
      backendRefs,
    })),
    { backendRefs },
  ];
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
    for (const { path, next } of WAYS) {
      let begun: [name: string, headers: Record<string, string>] | undefined;
      await eventually(`a session of ${path}`, async () => {
        const answer = await call(`${url}${path}`, { host });
        const headers = next(answer);
        if (headers !== undefined) begun = [answer.echo?.backend ?? "", headers];
        cookies[path] = cookieOf(answer);
        return headers !== undefined;
      });
      const [name, headers] = begun!;
      assert.deepEqual(await spread(20, `${url}${path}`, { host, headers }), { [name]: 20 });
    }
    assert.match(cookies["/cookie"]!, /^stay=.*; Path=\/cookie; HttpOnly/i);
    assert.doesNotMatch(cookies["/cookie"]!, /max-age|expires/i);
    assert.match(cookies["/permanent"]!, /^keep=.*Max-Age=3600/i);
    assert.match(cookies["/unnamed"]!, /^session-[0-9a-f]{12}=/);
    const plain = await call(`${url}/`, { host });
    assert.equal(plain.headers["set-cookie"], undefined);
  });
}

/** In an order that matters: each leaves its routes behind unless it removes them. */
export const SESSION_CASES: readonly GatewayCase[] = [
  {
    name: "sessions stay with an endpoint at gateways, by cookie and by header",
    run: async (bench) => {
      await bench.world.config.write(
        "sessions.yaml",
        documents(
          pair(bench, "pair", 80),
          route("HTTPRoute", "stay", { hostnames: ["stay.test"], rules: rules("pair", 80) }),
        ),
      );
      await stays(bench, "router", "stay.test");
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
          api("HTTPRoute", "inside-stay", {
            parentRefs: [{ group: "", kind: "Service", name: "inside-pair" }],
            rules: rules("inside-pair", port),
          }),
        ),
      );
      await stays(bench, "sidecar", hostOf("inside-pair"));
      await bench.world.config.remove("mesh-sessions.yaml");
    },
  },
];
