/**
 * `deno task demo`: a mesh on this machine. It starts `pilot-discovery` with a configuration
 * directory, two versions of a small backend, a client's proxy and an ingress gateway (real Envoys
 * run by `pilot-agent`), then changes the configuration and shows the traffic. It needs no root and
 * stays on loopback. On a terminal the mesh stays up until Ctrl-C; otherwise the exit status is 0
 * if every step worked.
 *
 * @module
 */
import { brokenRoutes, gateway, HOST, routes, service, sidecar, SUBSETS } from "./demo/config.ts";
import { identitySteps, makeAuthority } from "./demo/identity.ts";
import { follow } from "./demo/live.ts";
import { createNarrator } from "./demo/narrator.ts";
import {
  type Agent,
  call,
  type ConfigDir,
  type Daemon,
  freePorts,
  makeConfigDir,
  spread,
  startAgent,
  startBackend,
  startDaemon,
} from "./harness/mod.ts";
import { envoyPath } from "./tools.ts";

/** Number of requests that measure a split. */
const SAMPLE = 300;

async function main(): Promise<number> {
  const stop = new AbortController();
  const narrator = createNarrator(stop.signal);
  narrator.say("Mesh: a control plane and two Envoys on this machine. First the parts.");
  const envoy = await envoyPath();
  const interrupt = (): void => stop.abort(new Error("interrupted"));
  Deno.addSignalListener("SIGINT", interrupt);
  Deno.addSignalListener("SIGTERM", interrupt);
  const work = await Deno.makeTempDir({ prefix: "mesh-demo-" });
  try {
    await show(narrator, envoy, work, stop.signal);
  } catch (e) {
    if (!stop.signal.aborted) throw e;
    narrator.say("\nInterrupted; all parts are stopped.");
    return 130;
  } finally {
    Deno.removeSignalListener("SIGINT", interrupt);
    Deno.removeSignalListener("SIGTERM", interrupt);
    await Deno.remove(work, { recursive: true });
  }
  if (narrator.failed.length > 0) {
    narrator.say(`\nNot seen to work: ${narrator.failed.join("; ")}`);
    return 1;
  }
  narrator.say("\nEvery step was seen to work. All parts are stopped.");
  return 0;
}

type Narrator = ReturnType<typeof createNarrator>;

async function show(
  narrator: Narrator,
  envoy: string,
  work: string,
  signal: AbortSignal,
): Promise<void> {
  await using v1 = startBackend("v1");
  await using v2 = startBackend("v2");
  const [shop, ingress] = freePorts(2) as [number, number];
  const ports = { shop, ingress, v1: v1.port, v2: v2.port };
  await using config = await makeConfigDir();
  await config.write("service.yaml", service(ports));
  await config.write("sidecar.yaml", sidecar(ports));
  const authority = await makeAuthority(work);
  const { secured, env } = authority;
  await using daemon = await startDaemon({ configDir: config.path, secured, env });
  narrator.say(`   backends v1 and v2 on ports ${v1.port} and ${v2.port}`);
  narrator.say(`   pilot-discovery over ${config.path}`);
  const common = { namespace: "demo", xds: daemon.xds, envoy, dir: work };
  const started = await Promise.all([
    startAgent({
      ...common,
      role: "sidecar",
      name: "client-1",
      ip: "127.0.0.10",
      labels: { app: "client" },
      interception: "NONE",
    }),
    startAgent({
      ...common,
      role: "router",
      name: "ingress-1",
      ip: "127.0.0.11",
      labels: { mesh: "ingress" },
      noWait: true,
    }),
  ]);
  await using client = started[0];
  await using entrance = started[1];
  narrator.say(`   pilot-agent with Envoy as the client's proxy, and as ingress gateway`);
  await traffic(narrator, config, daemon, ports);
  await fromOutside(narrator, config, ports, entrance);
  await identitySteps({ narrator, config, authority, envoy, work });
  await explore(narrator, { daemon, config, client, ports }, signal);
}

interface Ports {
  readonly shop: number;
  readonly ingress: number;
  readonly v1: number;
  readonly v2: number;
}

function words(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).sort().map(([k, n]) => `${k}: ${n}`).join(", ");
}

/** The steps of the client's proxy. */
async function traffic(
  narrator: Narrator,
  config: ConfigDir,
  daemon: Daemon,
  ports: Ports,
): Promise<void> {
  const url = `http://127.0.0.1:${ports.shop}/`;
  const options = { host: `${HOST}:${ports.shop}` };
  const scene: Scene = {
    narrator,
    config,
    daemon,
    write: async (name, text) => {
      narrator.show(name, text);
      await config.write(name, text);
    },
    split: async (headers = {}) => {
      const counts = await spread(SAMPLE, url, { ...options, headers });
      return { counts, seen: `${SAMPLE} requests → ${words(counts)}` };
    },
  };
  await weights(scene);
  await faults(scene);
  await brokenFile(scene);
  await config.write("routes.yaml", routes({ v1: 80 }));
}

/** The parts that the steps of the client's proxy use. */
interface Scene {
  readonly narrator: Narrator;
  readonly config: ConfigDir;
  readonly daemon: Daemon;
  /** Shows a file and writes it. */
  write(name: string, text: string): Promise<void>;
  /** Sends requests and counts the answers by backend or status. */
  split(headers?: Record<string, string>): Promise<{
    readonly counts: Readonly<Record<string, number>>;
    readonly seen: string;
  }>;
}

/** Steps: no rule, weights, a header. */
async function weights({ narrator, config, write, split }: Scene): Promise<void> {
  await narrator.step("Two endpoints, no rule: both versions answer", async () => {}, async () => {
    const { counts, seen } = await split();
    return { seen, ok: (counts.v1 ?? 0) > 0 && (counts.v2 ?? 0) > 0 };
  });
  await narrator.step("80 % to v1, 20 % to v2", async () => {
    await config.write("subsets.yaml", SUBSETS);
    await write("routes.yaml", routes({ v1: 80 }));
  }, async () => {
    const { counts, seen } = await split();
    const share = (counts.v1 ?? 0) / SAMPLE;
    return {
      seen,
      ok: share > 0.68 && share < 0.92 && (counts.v1 ?? 0) + (counts.v2 ?? 0) === SAMPLE,
    };
  });
  await narrator.step(
    "Requests with the header `x-user: tester` go to v2",
    () => write("routes.yaml", routes({ v1: 100, header: true })),
    async () => {
      const tester = await split({ "x-user": "tester" });
      const others = await split();
      return {
        seen: `testers: ${words(tester.counts)}; others: ${words(others.counts)}`,
        ok: tester.counts.v2 === SAMPLE && others.counts.v1 === SAMPLE,
      };
    },
  );
}

/** Steps: a fault is injected and removed. */
async function faults({ narrator, config, write, split }: Scene): Promise<void> {
  await narrator.step(
    "A fault appears: half of the requests are answered 503",
    () => write("routes.yaml", routes({ v1: 100, fault: 50 })),
    async () => {
      const { counts, seen } = await split();
      const share = (counts["503"] ?? 0) / SAMPLE;
      return { seen, ok: share > 0.35 && share < 0.65 };
    },
  );
  await narrator.step(
    "… and goes",
    () => config.write("routes.yaml", routes({ v1: 100 })),
    async () => {
      const { counts, seen } = await split();
      return { seen, ok: counts.v1 === SAMPLE };
    },
  );
}

/** Step: a file that does not parse. */
async function brokenFile({ narrator, daemon, write, split }: Scene): Promise<void> {
  await narrator.step(
    "A broken file is rejected with its line, and the old configuration keeps serving",
    () => write("routes.yaml", brokenRoutes()),
    async () => {
      const { problems } = await daemon.debug<Problems>("configz?problems=true");
      const problem = problems.find((p) => p.file.endsWith("routes.yaml"));
      const { counts, seen } = await split();
      return {
        seen: problem === undefined
          ? `no problem reported; ${seen}`
          : `${problem.file}:${problem.line}: ${problem.path}: ${problem.message}; meanwhile ${seen}`,
        ok: problem !== undefined && counts.v1 === SAMPLE,
      };
    },
  );
}

interface Problems {
  readonly problems: readonly {
    readonly file: string;
    readonly line: number;
    readonly path: string;
    readonly message: string;
  }[];
}

/** The step that adds a gateway. */
async function fromOutside(
  narrator: Narrator,
  config: ConfigDir,
  ports: Ports,
  entrance: Agent,
): Promise<void> {
  const url = `http://127.0.0.1:${ports.ingress}/from/outside`;
  const text = gateway(ports);
  await narrator.step("An entrance: the gateway serves the host from outside", async () => {
    narrator.show("gateway.yaml", text);
    await config.write("gateway.yaml", text);
  }, async () => {
    const known = await call(url, { host: HOST });
    const other = await call(url, { host: "unknown.example" });
    return {
      seen: `${HOST} → ${known.status} from ${known.echo?.backend ?? "nobody"}, ` +
        `unknown.example → ${other.status} (through ${entrance.name})`,
      ok: known.status === 200 && known.echo?.path === "/from/outside" && other.status === 404,
    };
  });
}

/** Prints the addresses to explore. On a terminal, prints what happens until Ctrl-C. */
async function explore(
  narrator: Narrator,
  { daemon, config, client, ports }: {
    readonly daemon: Daemon;
    readonly config: ConfigDir;
    readonly client: Agent;
    readonly ports: Ports;
  },
  signal: AbortSignal,
): Promise<void> {
  narrator.say(`
The debug page: ${daemon.http}/debug
   metrics      ${daemon.monitoring}/metrics
   Envoy        ${client.admin}
   requests     curl -H 'Host: ${HOST}:${ports.shop}' http://127.0.0.1:${ports.shop}/
                curl -H 'Host: ${HOST}' http://127.0.0.1:${ports.ingress}/
   the config   ${config.path}`);
  if (!Deno.stdin.isTerminal()) return;
  narrator.say(`
The mesh stays up. Ctrl-C stops it. Edit files in another terminal, for example
   sed -i 's/weight: 80/weight: 30/' ${config.path}/routes.yaml
Each edit and its effect on the traffic appear here:
`);
  narrator.event("traffic", await currentTraffic(ports));
  await follow({
    daemon,
    traffic: () => currentTraffic(ports),
    print: (label, text) => narrator.event(label, text),
    signal,
  });
}

/** Number of requests of each kind that show the traffic after an edit. */
const GLANCE = 100;

/** Sends requests to the client's proxy and to the gateway, and says in words who answered. */
async function currentTraffic(ports: Ports): Promise<string> {
  const count = async (port: number, host: string, headers: Record<string, string> = {}) => {
    try {
      return words(await spread(GLANCE, `http://127.0.0.1:${port}/`, { host, headers }));
    } catch (e) {
      return `no answer (${e instanceof Error ? e.message : e})`;
    }
  };
  const shop = `${HOST}:${ports.shop}`;
  const client = await count(ports.shop, shop);
  const tester = await count(ports.shop, shop, { "x-user": "tester" });
  const outside = await count(ports.ingress, HOST);
  return `client ${client} | tester ${tester} | from outside ${outside}`;
}

if (import.meta.main) Deno.exit(await main());
