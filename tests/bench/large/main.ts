/**
 * `deno task bench large [--runs=5 --only=NAME]`: objects near the size that an API server accepts
 * (1.5 MB), each written, changed and given to the validation webhook, while sidecars and a gateway
 * are connected. A stall is the longest stretch of processor time in which the daemon did nothing else
 * (`process_event_loop_lag_cpu_seconds`): waits for a processor are not in it. The column `first` has
 * that of the first write, which also compiles code; the others have the least of the runs, because
 * other programs of the machine make the processor's caches cold.
 *
 * @module
 */
import { parseYaml } from "../../../lib/kit/text/mod.ts";
import {
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  startDaemon,
} from "../../../scripts/harness/mod.ts";
import { makeAuthority } from "../../support/certificates.ts";
import { numberFlag } from "../flags.ts";
import { cpuSeconds } from "../push/measure.ts";
import { type Clients, startClients } from "../push/run.ts";
import { head, OBJECTS } from "./objects.ts";

/** Time with little use of the processor after which a piece of work is complete, ms. */
const QUIET_MS = 800;
/** CPU seconds in that time. */
const IDLE_CPU_S = 0.04;

/** Stalls by one object, ms. */
interface Row {
  readonly what: string;
  readonly first: number;
  readonly written: number;
  readonly changed: number;
  readonly webhook: number;
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const runs = numberFlag("runs", 5);
  const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice(7) ?? "";
  await using config = await makeConfigDir();
  const dir = await Deno.makeTempDir({ prefix: "mesh-bench-large-" });
  const authority = await makeAuthority(dir);
  const { cert, key } = await authority.issue("server", ["localhost"]);
  const port = freePort();
  await using daemon = await startDaemon({
    configDir: config.path,
    secured: freePort(),
    args: [
      `--httpsAddr=127.0.0.1:${port}`,
      `--tlsCertFile=${cert}`,
      `--tlsKeyFile=${key}`,
      `--caCertFile=${authority.cert}`,
    ],
  });
  await config.write(
    "a.yaml",
    `${head("ServiceEntry", "networking", "a")}  hosts: [a.test]\n` +
      `  ports: [{ number: 80, name: http, protocol: HTTP }]\n` +
      `  resolution: STATIC\n  endpoints: [{ address: 10.0.0.1 }]\n` +
      `---\n${head("Gateway", "networking", "a")}  selector: { app: client-0 }\n` +
      `  servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: ["*"] }]\n`,
  );
  const groups = await connect(daemon);
  const ca = await Deno.readTextFile(authority.cert);
  using client = Deno.createHttpClient({ caCerts: [ca] });
  const rows: Row[] = [];
  for (const [what, textOf] of Object.entries(OBJECTS)) {
    if (!what.includes(only)) continue;
    const written: number[] = [];
    const changed: number[] = [];
    const webhook: number[] = [];
    for (let i = 0; i < runs; i++) {
      written.push(await stallOf(daemon, () => config.write("large.yaml", textOf(0))));
      changed.push(await stallOf(daemon, () => config.write("large.yaml", textOf(1))));
      const object = parseYaml(textOf(i % 2));
      webhook.push(await stallOf(daemon, () => review(object, port, client)));
      await stallOf(daemon, () => config.remove("large.yaml"));
    }
    const row = {
      what,
      first: written[0]!,
      written: Math.min(...written),
      changed: Math.min(...changed),
      webhook: Math.min(...webhook),
    };
    console.error(JSON.stringify(row));
    rows.push(row);
  }
  for (const group of groups) await group.ask("quit");
  await Deno.remove(dir, { recursive: true });
  print(rows);
}

/** Connects sidecars, and a gateway. */
async function connect({ xds: target }: Daemon): Promise<Clients[]> {
  const common = { target, delta: true, workloads: 1 };
  const groups = [
    await startClients({ ...common, clients: 3 }),
    await startClients({ ...common, clients: 1, router: true }),
  ];
  for (const group of groups) await group.ask(`connect ${target}`);
  return groups;
}

/** The longest stall by a piece of work, ms; ends when the daemon is idle. */
async function stallOf(daemon: Daemon, act: () => Promise<unknown>): Promise<number> {
  const { pid } = daemon.program;
  await lag(daemon);
  await act();
  let seen = -1;
  let since = Date.now();
  await eventually("the daemon to be idle", async () => {
    const now = await cpuSeconds(pid);
    // The daemon's own timers take less.
    if (now - seen > IDLE_CPU_S) [seen, since] = [now, Date.now()];
    return Date.now() - since >= QUIET_MS;
  }, 60_000);
  return await lag(daemon);
}

/** Most processor time in a delay of the daemon's event loop since the last call, ms. */
async function lag({ monitoring }: Daemon): Promise<number> {
  const text = await (await fetch(`${monitoring}/metrics`)).text();
  return 1000 * Number(/^process_event_loop_lag_cpu_seconds (\S+)$/m.exec(text)?.[1] ?? NaN);
}

/** Gives an object to the validation webhook, which accepts it. */
async function review(object: unknown, port: number, client: Deno.HttpClient): Promise<void> {
  const answer = await fetch(`https://localhost:${port}/validate`, {
    method: "POST",
    client,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: { uid: "1", operation: "CREATE", namespace: "ns-0", object, kind: {}, resource: {} },
    }),
  });
  const { response } = await answer.json() as { response?: { allowed?: boolean } };
  if (response?.allowed !== true) throw new Error(`refused: ${JSON.stringify(response)}`);
}

function print(rows: readonly Row[]): void {
  console.log("| Stall, ms | first | written | changed | webhook |\n|---|---|---|---|---|");
  for (const { what, ...stalls } of rows) {
    console.log(`| ${what} | ${Object.values(stalls).map((ms) => ms.toFixed(0)).join(" | ")} |`);
  }
}

if (import.meta.main) await main();
