/**
 * `deno task bench large [--clients=5]`: objects near the size that an API server accepts (1.5 MB),
 * each written once and changed once while clients are connected. The column `stall` is the longest
 * time in which the daemon did nothing else.
 *
 * @module
 */
import { eventually, makeConfigDir, startDaemon } from "../scripts/harness/mod.ts";
import { numberFlag } from "./flags.ts";
import { calibrate } from "./push/calibrate.ts";
import { type Bench, measure, print, type Row, startClients } from "./push/run.ts";

const many = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");
const head = (kind: string, group = "networking"): string =>
  `apiVersion: ${group}.mesh.io/v1\nkind: ${kind}\nmetadata: { name: large, namespace: ns-0 }\nspec:\n`;
const HTTP = "{ number: 80, name: http, protocol: HTTP }";
const ip = (i: number): string => `10.${100 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;

/** Each object in two versions, which differ in one place. */
const OBJECTS: Readonly<Record<string, (version: number) => string>> = {
  "a ServiceEntry with 5,000 endpoints": (version) =>
    `${head("ServiceEntry")}  hosts: [large.test]\n  ports: [${HTTP}]\n  resolution: STATIC\n` +
    `  endpoints:\n${many(5_000, (i) => `  - { address: ${ip(i + version)} }`)}\n`,
  "a VirtualService with 5,000 rules": (version) =>
    `${head("VirtualService")}  hosts: [a.test]\n  http:\n` +
    many(
      5_000,
      (i) =>
        `  - { match: [{ uri: { prefix: /p${i}/ } }], timeout: ${
          1 + version
        }s, route: [{ destination: { host: a.test } }] }`,
    ) + "\n",
  "an AuthorizationPolicy with 5,000 rules": (version) =>
    `${head("AuthorizationPolicy", "security")}  rules:\n` +
    many(5_000, (i) => `  - { to: [{ operation: { paths: ["/p${i}/${version}"] } }] }`) + "\n",
};

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const clients = numberFlag("clients", 5);
  const fixed = calibrate();
  await using config = await makeConfigDir();
  await using daemon = await startDaemon({ configDir: config.path });
  const target = daemon.xds;
  const group = await startClients({ target, clients, delta: true, workloads: 1 });
  await config.write(
    "a.yaml",
    `${head("ServiceEntry").replace("large", "a")}  hosts: [a.test]\n` +
      `  ports: [${HTTP}]\n  resolution: STATIC\n  endpoints: [{ address: 10.0.0.1 }]\n`,
  );
  const bench: Bench = { daemon, clients: group, fixed, rows: [] as Row[] };
  await group.ask(`connect ${target}`);
  for (const [what, textOf] of Object.entries(OBJECTS)) {
    const write = async (version: number): Promise<void> => {
      const { responses } = await group.ask("report");
      await config.write("large.yaml", textOf(version));
      await eventually(
        `${what} to be sent`,
        async () => (await group.ask("report")).responses > responses,
        60_000,
      );
    };
    await measure(bench, `${what}, written`, () => write(0));
    await measure(bench, `${what}, changed`, () => write(1));
  }
  await group.ask("quit");
  print({ clients, fixed }, bench.rows);
}

if (import.meta.main) await main();
