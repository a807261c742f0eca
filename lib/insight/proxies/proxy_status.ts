import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Invocation, painter, tableText, usageError } from "../../kit/cli/mod.ts";
import {
  compareDumps,
  type Dump,
  parseDump,
  SYNC_HEAD,
  syncCells,
  syncProblems,
  type SyncRow,
} from "../config_dump/mod.ts";
import { agentRows, type ServedRow } from "./agents.ts";
import { podNamed } from "../cluster_access/mod.ts";
import { askJson, type Daemon, type Daemons, fromEach, openDaemons } from "../daemon_client/mod.ts";
import { askAdmin, CONFIG_DUMP, readDump } from "./dump_source.ts";
import { proxyNamed } from "./proxy_name.ts";

/** Prints how far proxies follow their daemons; with a proxy, how its configuration differs. */
export async function proxyStatus(call: Invocation): Promise<number> {
  const { flags, args: [given] } = call;
  const isCompared = given !== undefined || flags.string("file") !== "";
  if (flags.has("xds-via-agents") && flags.bool("xds-via-agents")) {
    if (isCompared) throw usageError("--xds-via-agents shows all proxies; leave out the proxy");
    return show(call, await agentRows(call));
  }
  await using daemons = await openDaemons(call);
  const found = await fromEach(
    call,
    daemons,
    (daemon) => askJson<SyncRow[]>(call, daemon, "syncz"),
  );
  const answers = found.map(({ daemon, answer }) => ({ daemon, rows: answer }));
  if (isCompared) return await difference(call, daemons, answers);
  return show(
    call,
    answers.flatMap(({ daemon, rows }) => rows.map((row) => ({ row, daemon: daemon.name }))),
  );
}

function show({ flags, io }: Invocation, rows: readonly ServedRow[]): number {
  const wanted = flags.string("namespace");
  const shown = rows.filter(({ row }) => wanted === "" || row.proxy.endsWith(`.${wanted}`))
    .toSorted((a, b) => a.row.proxy < b.row.proxy ? -1 : 1);
  io.out(tableText(SYNC_HEAD, shown.map(({ row, daemon }) => syncCells(row, daemon))));
  const paint = painter(io, "err");
  for (const { row } of shown) {
    for (const problem of syncProblems(row)) io.err(`${paint("yellow", printable(problem))}\n`);
  }
  return 0;
}

interface Answer {
  readonly daemon: Daemon;
  readonly rows: readonly SyncRow[];
}

async function difference(
  call: Invocation,
  { cluster }: Daemons,
  answers: readonly Answer[],
): Promise<number> {
  const { args: [given] } = call;
  const rows = answers.flatMap(({ rows }) => rows);
  const pod = cluster === undefined || given === undefined
    ? undefined
    : await podNamed(cluster, given);
  const { name = "", namespace = "" } = pod?.metadata ?? {};
  const proxy = proxyNamed(call, rows, pod === undefined ? given : `${name}.${namespace}`);
  const serving = answers.find(({ rows }) => rows.some((row) => row.proxy === proxy));
  const daemon = (serving ?? answers[0])?.daemon;
  if (daemon === undefined) throw new TypeError("there is no daemon");
  const own = await ownDump();
  const query = `config_dump?proxyID=${encodeURIComponent(proxy)}`;
  const served = parseDump(JSON.stringify(await askJson(call, daemon, query)), daemon.name);
  for (const { title, matches, difference } of compareDumps(served, own)) {
    call.io.out(matches ? `${title} Match\n` : `${title} Don't Match\n${difference}`);
  }
  return 0;

  async function ownDump(): Promise<Dump> {
    const file = call.flags.string("file");
    if (file !== "") return await readDump(call, file);
    if (cluster !== undefined && pod !== undefined) {
      return parseDump(await askAdmin(call, cluster, pod, { path: CONFIG_DUMP }), proxy);
    }
    throw new MeshError("dump-unknown", `no config dump of ${printable(proxy)} to compare with`, {
      remedy: "Give the proxy's own dump with --file: a file, -, or the URL of its admin page, " +
        "such as http://localhost:15000.",
    });
  }
}
