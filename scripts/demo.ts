/**
 * `deno task demo`: a mesh on this machine. It starts `pilot-discovery` with a configuration
 * directory, two versions of a small backend, two callers and an ingress gateway. Each has a real Envoy
 * that `pilot-agent` runs, and they use mutual TLS with certificates that the daemon issues. The demo
 * then changes the configuration and shows the traffic. It needs no root and stays on loopback. On a
 * terminal the mesh stays up until Ctrl-C; otherwise the exit status is 0 if every step worked.
 *
 * @module
 */
import {
  brokenRoutes,
  type DemoPorts,
  gateway,
  HOST,
  routes,
  service,
  sidecars,
  STRICT,
  SUBSETS,
} from "./demo/config.ts";
import { callOnce, identityOf, identitySteps } from "./demo/identity.ts";
import { explore, words } from "./demo/explore.ts";
import { createNarrator, type Narrator } from "./demo/narrator.ts";
import { makeAuthority, startWorkload } from "./demo/workloads.ts";
import {
  type Agent,
  call,
  type ConfigDir,
  type Daemon,
  freePorts,
  makeConfigDir,
  spread,
  startBackend,
  startDaemon,
} from "./harness/mod.ts";
import { envoyPath } from "./tools.ts";

/** Number of requests that measure a split. */
const SAMPLE = 300;

async function main(): Promise<number> {
  const stop = new AbortController();
  const narrator = createNarrator(stop.signal);
  narrator.say("Mesh: a control plane and Envoys on this machine. First the parts.");
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
  await config.write("sidecars.yaml", sidecars(ports));
  await config.write("strict.yaml", STRICT);
  const authority = await makeAuthority(work);
  const { secured, env } = authority;
  const settings = { authority, envoy, work };
  const server = (version: "v1" | "v2") =>
    startWorkload(settings, { name: version, account: "shop", labels: { app: "shop", version } });
  await using parts = new AsyncDisposableStack();
  // Together, because each keeps one processor busy while it starts.
  const starting = [
    startDaemon({ configDir: config.path, secured, env }),
    startWorkload(settings, { name: "client" }),
    server("v1"),
    server("v2"),
  ] as const;
  for (const part of starting) {
    parts.defer(async () => await (await part.catch(() => undefined))?.[Symbol.asyncDispose]());
  }
  const [daemon, client] = await Promise.all(starting);
  narrator.say(`   backends v1 and v2 on ports ${v1.port} and ${v2.port}`);
  narrator.say(`   pilot-discovery over ${config.path}`);
  narrator.say(
    `   pilot-agent with Envoy for the client and each backend, with mutual TLS (STRICT)`,
  );
  const scene = sceneOf(narrator, config, daemon, ports);
  await bothAnswer(scene, ports);
  // The other callers start while the next steps run.
  const others = await Promise.all([
    startWorkload(settings, {
      name: "ingress",
      labels: { mesh: "ingress" },
      role: "router",
      noWait: true,
    }),
    startWorkload(settings, { name: "guest", noWait: true }),
  ]);
  await using entrance = others[0];
  await using _guest = others[1];
  await traffic(scene);
  await fromOutside(narrator, config, ports, entrance);
  await identitySteps({ narrator, config, ports });
  await explore(narrator, { daemon, config, client, ports }, signal);
}

/** The steps of the client's proxy that change its routes. */
async function traffic(scene: Scene): Promise<void> {
  await weights(scene);
  await faults(scene);
  await brokenFile(scene);
  await scene.config.write("routes.yaml", routes({ v1: 80 }));
}

function sceneOf(
  narrator: Narrator,
  config: ConfigDir,
  daemon: Daemon,
  ports: DemoPorts,
): Scene {
  const url = `http://127.0.0.1:${ports.shop}/`;
  const options = { host: `${HOST}:${ports.shop}` };
  return {
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

/** Step: no rule. */
async function bothAnswer({ narrator, split }: Scene, { shop }: DemoPorts): Promise<void> {
  const title = "Two endpoints, no rule: both versions answer, over mutual TLS";
  await narrator.step(title, async () => {}, async () => {
    const { counts, seen } = await split();
    const { identity } = await callOnce(`http://127.0.0.1:${shop}/`, `${HOST}:${shop}`);
    return {
      seen: `${seen}; the backend saw the caller ${identity}`,
      ok: (counts.v1 ?? 0) > 0 && (counts.v2 ?? 0) > 0 && identity === identityOf("client"),
    };
  });
}

/** Steps: weights, a header. */
async function weights({ narrator, config, write, split }: Scene): Promise<void> {
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
  ports: DemoPorts,
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

if (import.meta.main) Deno.exit(await main());
