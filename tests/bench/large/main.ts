/**
 * `deno task bench large [--runs=5 --only=NAME --cluster]`: objects near the size that an API server accepts
 * (1.5 MB), each written, changed and given to the validation webhook, while sidecars and a gateway
 * are connected. A stall is the longest stretch of processor time in which the daemon did nothing else
 * (`process_event_loop_lag_cpu_seconds`): waits for a processor are not in it. The column `first` has
 * that of the first write, which also compiles code; the others have the least of the runs, because
 * other programs of the machine make the processor's caches cold. With `--cluster` a daemon reads
 * objects of a real API server instead of files; they are not given to the webhook.
 *
 * @module
 */
import { parseYaml } from "../../../lib/kit/text/mod.ts";
import { freePort, makeConfigDir, startDaemon } from "../../../scripts/harness/mod.ts";
import { makeAuthority } from "../../support/certificates.ts";
import { numberFlag } from "../flags.ts";
import { measureCluster } from "./cluster.ts";
import { BASE, OBJECTS } from "./objects.ts";
import { connect, stallOf } from "./stall.ts";

/** Stalls by one object, ms. */
type Row = Readonly<Record<"first" | "written" | "changed" | "webhook", number>> & {
  readonly what: string;
};

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const runs = numberFlag("runs", 5);
  const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice(7) ?? "";
  if (Deno.args.includes("--cluster")) return await measureCluster(runs, only);
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
  await config.write("a.yaml", BASE.join("---\n"));
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
