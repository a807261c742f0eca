/**
 * Attacks on the listener of the webhooks: pods of others get their proxies during the attack, and the
 * daemon does other work.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Daemon, freePort, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { makeAuthority } from "../support/certificates.ts";

/** Longest time of an ordinary injection, or of a probe of the daemon, ms. */
const MOST_MS = 4_000;
/** Ordinary injections during an attack. */
const REQUESTS = 8;

interface Target {
  readonly port: number;
  readonly ca: string;
}

/** An attack; `under` is called when its first connection is held or its first request is sent. */
type Attack = (target: Target, over: AbortSignal, under: () => void) => Promise<void>;

const many = <T>(count: number, one: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => one(i));

function review(object: unknown): string {
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "1", operation: "CREATE", namespace: "shop", object },
  });
}

const pod = (spec: object, annotations: object = {}) =>
  review({ metadata: { name: "a", annotations }, spec: { containers: [{ name: "a" }], ...spec } });

const secured = ({ port, ca }: Target) =>
  Deno.connectTls({ hostname: "localhost", port, caCerts: [ca] });

const head = (length: number) =>
  `POST /inject HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
  `content-length: ${length}\r\n\r\n`;

async function writeAll(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Opens connections, does something on each, and holds them until the attack is over. */
function holding(
  count: number,
  open: (target: Target) => Promise<Deno.Conn>,
  act: (connection: Deno.Conn) => Promise<void> = () => Promise.resolve(),
): Attack {
  return async (target, over, under) => {
    const connections: Deno.Conn[] = [];
    const closeAll = () => {
      for (const connection of connections.splice(0)) {
        try {
          connection.close();
        } catch { /* The listener closed it, and the runtime noticed. */ }
      }
    };
    over.addEventListener("abort", closeAll);
    for (let i = 0; i < count && !over.aborted; i++) {
      const connection = await open(target).catch(() => undefined);
      if (connection === undefined) continue;
      connections.push(connection);
      await act(connection).catch(() => {});
      under();
    }
    // The attack can end while a connection is being opened: that one is closed here.
    if (over.aborted) closeAll();
  };
}

/** Sends requests one after the other, over several connections. */
function flood(path: string, body: string, lines = 6): Attack {
  return async ({ port, ca }, over, under) => {
    using client = Deno.createHttpClient({ caCerts: [ca] });
    const line = async () => {
      while (!over.aborted) {
        const options = { method: "POST", body, client, headers: JSON_BODY };
        const sent = fetch(`https://localhost:${port}${path}`, options).catch(() => undefined);
        under();
        const answer = await sent;
        await answer?.body?.cancel().catch(() => {});
      }
    };
    await Promise.all(many(lines, line));
  };
}

const JSON_BODY = { "content-type": "application/json" };
const LARGE = 8 << 20;

const ATTACKS: Readonly<Record<string, Attack>> = {
  "700 silent connections": holding(
    700,
    ({ port }) => Deno.connect({ hostname: "127.0.0.1", port }),
  ),
  "600 silent connections after their handshake": holding(600, secured),
  "600 requests that never come to their end": holding(
    600,
    secured,
    (connection) => writeAll(connection, head(10).slice(0, -2)),
  ),
  "600 bodies of which only the first byte comes": holding(
    600,
    secured,
    (connection) => writeAll(connection, `${head(10)}{`),
  ),
  "10 large bodies that stop before their end": holding(10, secured, async (connection) => {
    await writeAll(connection, head(LARGE));
    await writeAll(connection, " ".repeat(LARGE - 1));
  }),
  "pods of 50,000 containers": flood(
    "/inject",
    pod({ containers: many(50_000, (i) => ({ name: `c${i}` })) }),
  ),
  "a template that is named 32,000 times": flood(
    "/inject",
    pod({}, { "inject.mesh.io/templates": "sidecar,".repeat(32_000) }),
  ),
  "pods of 50,000 ports": flood(
    "/inject",
    pod({ containers: [{ name: "a", ports: many(50_000, (i) => ({ containerPort: i })) }] }),
  ),
  "proxies of users with 30,000 variables": flood(
    "/inject",
    pod({ containers: [{ name: "mesh-proxy", env: many(30_000, (i) => ({ name: `E${i}` })) }] }),
  ),
  "records of 80,000 containers of an earlier injection": flood(
    "/inject",
    pod({}, {
      "sidecar.mesh.io/status": "{}",
      "proxy.mesh.io/overrides": JSON.stringify({ containers: many(80_000, () => ({})) }),
    }),
  ),
  "records of 20,000 ports of an earlier injection": flood(
    "/inject",
    pod({}, {
      "sidecar.mesh.io/status": "{}",
      "proxy.mesh.io/overrides": JSON.stringify({
        containers: [{ name: "a", ports: many(20_000, () => ({})) }],
      }),
    }),
  ),
  "30,000 volumes in an annotation": flood(
    "/inject",
    pod({}, { "sidecar.mesh.io/userVolume": JSON.stringify(many(30_000, () => ({}))) }),
  ),
  "reviews that are nested a million times": flood("/inject", "[".repeat(1 << 20)),
  "VirtualServices of 50,000 hosts": flood(
    "/validate",
    review({
      apiVersion: "networking.mesh.io/v1",
      kind: "VirtualService",
      metadata: { name: "a", namespace: "shop" },
      spec: {
        hosts: many(50_000, (i) => `h${i}.test`),
        http: [{ route: [{ destination: { host: "a" } }] }],
      },
    }),
    2,
  ),
};

/** Injects a pod over a connection of its own; gives the time, ms. */
async function inject({ port }: Target, client: Deno.HttpClient): Promise<number> {
  const begin = performance.now();
  const answer = await fetch(`https://localhost:${port}/inject`, {
    method: "POST",
    body: pod({}),
    client,
    headers: { ...JSON_BODY, connection: "close" },
  });
  const { response } = await answer.json();
  assert.ok(response.patch, JSON.stringify(response).slice(0, 200));
  return performance.now() - begin;
}

/** The time of a probe of the daemon, ms: other work of its is not delayed longer. */
async function probe({ http }: Daemon): Promise<number> {
  const begin = performance.now();
  const answer = await fetch(`${http}/ready`, { headers: { connection: "close" } });
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
  return performance.now() - begin;
}

Deno.test("attacks on the webhooks keep no pod from its proxy", async (t) => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-webhook-attacks-" });
  const authority = await makeAuthority(dir);
  const { cert, key } = await authority.issue("server", ["localhost"]);
  await using config = await makeConfigDir();
  const [grpc, port] = [freePort(), freePort()];
  await using daemon = await startDaemon({
    configDir: config.path,
    secured: grpc,
    args: [
      `--httpsAddr=127.0.0.1:${port}`,
      `--tlsCertFile=${cert}`,
      `--tlsKeyFile=${key}`,
      `--caCertFile=${authority.cert}`,
    ],
  });
  const ca = await Deno.readTextFile(authority.cert);
  const target = { port, ca };
  for (const [title, attack] of Object.entries(ATTACKS)) {
    await t.step(title, async () => {
      // The attack comes from the same address: that of another one is not worse off.
      using client = Deno.createHttpClient({ caCerts: [ca] });
      const over = new AbortController();
      const under = Promise.withResolvers<void>();
      const attacking = attack(target, over.signal, under.resolve);
      try {
        await Promise.race([attacking, under.promise]);
        for (let i = 0; i < REQUESTS; i++) {
          const [injected, probed] = await Promise.all([inject(target, client), probe(daemon)]);
          assert.ok(injected < MOST_MS, `an injection took ${injected} ms`);
          assert.ok(probed < MOST_MS, `a probe took ${probed} ms`);
        }
      } finally {
        over.abort();
        await attacking;
      }
    });
  }
  await Deno.remove(dir, { recursive: true });
});
