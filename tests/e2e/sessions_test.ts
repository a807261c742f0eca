/** Persistent sessions, by traffic through real Envoys. */
import assert from "node:assert/strict";
import {
  type Answer,
  call,
  eventually,
  freePort,
  spread,
  startBackend,
} from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { documents, endpoint, NAMESPACE, type Spec } from "../support/manifest.ts";
import { assertNothingRejected, sidecars, startWorld, type TestProxy } from "../support/world.ts";

const DRAINING = "mesh.io/draining";

function service(
  host: string,
  port: number,
  labels: Readonly<Record<string, string>>,
  endpoints: readonly Spec[],
): string {
  return toYaml({
    apiVersion: "networking.mesh.io/v1",
    kind: "ServiceEntry",
    metadata: { name: host.replace(".test", ""), namespace: NAMESPACE, labels },
    spec: {
      hosts: [host],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: port, protocol: "HTTP", name: "main" }],
      endpoints,
    },
  });
}

/** Transport of a session key in requests and responses. */
interface Kind {
  readonly host: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Headers of the next request, from an answer; `undefined`: it begins no session. */
  next(answer: Answer): Record<string, string> | undefined;
}

const KINDS: readonly Kind[] = [
  {
    host: "cookie.test",
    labels: { "mesh.io/persistent-session": "stay:/" },
    next: ({ headers }) => {
      const cookie = /stay="?[^";]+"?/.exec(headers["set-cookie"] ?? "")?.[0];
      return cookie === undefined ? undefined : { cookie };
    },
  },
  {
    host: "header.test",
    labels: { "mesh.io/persistent-session-header": "x-stay" },
    next: ({ headers }) =>
      headers["x-stay"] === undefined ? undefined : { "x-stay": headers["x-stay"] },
  },
];

Deno.test("sessions stay with an endpoint until it is gone", async (t) => {
  await using a = startBackend("a");
  await using b = startBackend("b");
  await using c = startBackend("c");
  const backends = { a, b, c };
  type Name = keyof typeof backends;
  const port = freePort();
  const services = (names: readonly Name[], drains?: Name): string =>
    documents(...KINDS.map(({ host, labels }) =>
      service(
        host,
        port,
        labels,
        names.map((n) => endpoint(backends[n].port, n === drains ? { [DRAINING]: "true" } : {})),
      )
    ));
  await using world = await startWorld({
    files: {
      "services.yaml": services(["a", "b", "c"]),
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
    },
    daemon: { env: { PILOT_ENABLE_PERSISTENT_SESSION_FILTER: "true" } },
  });
  const urlOf = ({ address }: TestProxy): string => `http://${address}:${port}`;

  /** Begins a session: the endpoint it is with, and what its requests carry. */
  const begin = async (
    testProxy: TestProxy,
    kind: Kind,
  ): Promise<[Name, Record<string, string>]> => {
    let begun: [Name, Record<string, string>] | undefined;
    await eventually(`a session of ${kind.host}`, async () => {
      const answer = await call(urlOf(testProxy), { host: kind.host });
      const headers = kind.next(answer);
      if (answer.status !== 200 || headers === undefined) return false;
      begun = [answer.echo!.backend as Name, headers];
      return true;
    });
    return begun!;
  };

  for (const kind of KINDS) {
    for (const testProxy of world.testProxies) {
      await t.step(`${kind.host} (${testProxy.transport})`, async () => {
        await world.config.write("services.yaml", services(["a", "b", "c"]));
        await eventually("all endpoints to be there", async () => {
          const counts = await spread(30, urlOf(testProxy), { host: kind.host });
          return Object.keys(counts).sort().join() === "a,b,c";
        });
        const [own, headers] = await begin(testProxy, kind);
        const asSession = { host: kind.host, headers };
        assert.deepEqual(await spread(30, urlOf(testProxy), asSession), { [own]: 30 });

        // One that drains keeps what it has, and gets no new one.
        await world.config.write("services.yaml", services(["a", "b", "c"], own));
        await eventually("new sessions to be elsewhere", async () => {
          const counts = await spread(30, urlOf(testProxy), { host: kind.host });
          return counts[own] === undefined;
        });
        assert.deepEqual(await spread(30, urlOf(testProxy), asSession), { [own]: 30 });

        // One that is gone leaves its sessions to another, which they then stay with.
        const rest = (["a", "b", "c"] as const).filter((name) => name !== own);
        await world.config.write("services.yaml", services(rest));
        let moved: Answer | undefined;
        await eventually("the session to move", async () => {
          moved = await call(urlOf(testProxy), asSession);
          return moved.status === 200 && moved.echo!.backend !== own;
        });
        const again = kind.next(moved!);
        assert.ok(again !== undefined, "the client is told of the new endpoint");
        assert.deepEqual(
          await spread(30, urlOf(testProxy), { host: kind.host, headers: again }),
          { [moved!.echo!.backend]: 30 },
        );
      });
    }
  }
  await t.step("no update was refused", () => assertNothingRejected(world));
});
