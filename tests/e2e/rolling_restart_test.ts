/**
 * Two replicas are restarted one after the other, twice, while a client sends requests over its
 * proxy: no request fails.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type Answer,
  call,
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  startAgent,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { documents, manifest } from "../support/manifest.ts";

const CLIENT = "127.0.45.1";
const REPLICAS = ["127.0.45.2", "127.0.45.3"] as const;
const HOST = "shop.example";
const CALLERS = 6;
/** Time of each answer, ms: requests are under way at every moment. */
const ANSWER_MS = "30";
const ROUNDS = 2;

function configuration(port: number): string {
  return documents(
    manifest("WorkloadGroup", "replicas", {
      metadata: { labels: { app: "shop" } },
      template: { ports: { main: port } },
      probe: { tcpSocket: { port } },
    }),
    manifest("ServiceEntry", "shop", {
      hosts: [HOST],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: port, protocol: "HTTP", name: "main" }],
      workloadSelector: { labels: { app: "shop" } },
    }),
    manifest("Sidecar", "client", {
      workloadSelector: { labels: { app: "client" } },
      egress: [{
        bind: CLIENT,
        port: { number: port, protocol: "HTTP", name: "http" },
        captureMode: "NONE",
        hosts: ["*/*"],
      }],
    }),
    manifest("Sidecar", "shop", {
      workloadSelector: { labels: { app: "shop" } },
      egress: [{
        bind: "127.0.45.9",
        port: { number: 9, protocol: "TCP", name: "tcp" },
        captureMode: "NONE",
        hosts: ["./none.example"],
      }],
    }),
  );
}

/** Callers that send requests until they are stopped; every second one is not idempotent. */
function startLoad(port: number) {
  const failures: string[] = [];
  const stopping = new AbortController();
  let answered = 0;
  const send = async (index: number): Promise<Answer> =>
    await call(`http://${CLIENT}:${port}/${index}`, {
      host: HOST,
      method: index % 2 ? "POST" : "GET",
      ...index % 2 && { body: "order" },
      headers: { "x-backend-delay-ms": ANSWER_MS },
    });
  const running = Array.from({ length: CALLERS }, async (_, index) => {
    while (!stopping.signal.aborted) {
      const outcome = await send(index).then(
        ({ status, headers, body }) =>
          status === 200 ? undefined : `${status} ${headers["x-envoy-flags"] ?? ""} ${body}`,
        (error: Error) => error.message,
      );
      if (outcome === undefined) answered++;
      else failures.push(outcome);
    }
  });
  return {
    failures,
    answered: () => answered,
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

interface Shown {
  readonly endpoints: readonly { readonly address: string; readonly health: string }[];
}

/** Addresses of the healthy replicas at the daemon. */
async function replicas(daemon: Daemon): Promise<string> {
  const services = await daemon.debug<Shown[]>("registryz");
  return services.flatMap(({ endpoints }) => endpoints)
    .filter(({ health }) => health === "healthy").map(({ address }) => address).sort().join();
}

Deno.test("a rolling restart under load loses no request", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-rolling-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const backend = stack.use(startBackend("shop", "127.0.0.1", freePort()));
  const config = stack.use(await makeConfigDir());
  await config.write("mesh.yaml", configuration(backend.port));
  const daemon = stack.use(
    await startDaemon({
      configDir: config.path,
      env: {
        PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "100ms",
        MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY: "false",
      },
    }),
  );
  const envoy = await envoyPath();
  const start = async (
    app: string,
    ip: string,
    env: Record<string, string>,
    proxyConfig: Record<string, unknown> = {},
  ): Promise<Agent> =>
    stack.use(
      await startAgent({
        role: "sidecar",
        name: `${app}-${ip.at(-1)}`,
        namespace: "test",
        ip,
        envoy,
        dir,
        env,
        labels: { app },
        xds: daemon.xds,
        interception: "NONE",
        proxyConfig: { terminationDrainDuration: "3s", ...proxyConfig },
      }),
    );
  // The probe succeeds once the replica's proxy listens.
  const startReplica = (ip: string) =>
    start("shop", ip, { MESH_META_AUTO_REGISTER_GROUP: "replicas" }, {
      readinessProbe: { tcpSocket: { port: backend.port, host: ip }, periodSeconds: 1 },
    });
  const running = new Map<string, Agent>();
  for (const ip of REPLICAS) running.set(ip, await startReplica(ip));
  const client = await start("client", CLIENT, {});
  await eventually("both replicas at the client", async () => {
    const text = await (await fetch(`${client.admin}/clusters`)).text();
    const found = REPLICAS.map((ip) => `${ip}:${backend.port}::health_flags::healthy`);
    return found.every((line) => text.includes(line));
  });
  const load = startLoad(backend.port);
  stack.defer(() => load.stop());
  for (let round = 1; round <= ROUNDS; round++) {
    for (const ip of REPLICAS) {
      const before = load.answered();
      await eventually("requests", () => load.answered() > before + CALLERS);
      const agent = running.get(ip)!;
      agent.program.kill("SIGTERM");
      const rest = REPLICAS.filter((other) => other !== ip).join();
      await eventually(
        "the daemon to leave the replica out",
        async () => await replicas(daemon) === rest,
      );
      assert.equal((await agent.program.status).code, 0, agent.program.output());
      running.set(ip, await startReplica(ip));
      await eventually("both replicas", async () => await replicas(daemon) === REPLICAS.join());
    }
  }
  const before = load.answered();
  await eventually("requests at the end", () => load.answered() > before + CALLERS);
  await load.stop();
  assert.deepEqual(load.failures, [], `${load.answered()} requests were answered`);
});
