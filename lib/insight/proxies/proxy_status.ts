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
import {
  envoyProblems,
  type EnvoyState,
  envoyStates,
  exitedRows,
  unreported,
} from "./envoy_states.ts";
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
  const found = await fromEach(call, daemons, async (daemon) => ({
    rows: await askJson<SyncRow[]>(call, daemon, "syncz"),
    states: await envoyStates(call, daemon),
  }));
  const now = Date.now();
  const answers = found.map(({ daemon, answer }) => ({ daemon, ...answer }));
  if (isCompared) return await difference(call, daemons, answers);
  const connected = new Set(answers.flatMap(({ rows }) => rows.map(({ proxy }) => proxy)));
  // An Envoy that exited may be back at another daemon.
  const known = answers.map(({ daemon, rows, states = [] }) => ({
    daemon,
    rows,
    states: states.filter(({ state, proxy }) => state !== "exited" || !connected.has(proxy)),
  }));
  show(
    call,
    known.flatMap(({ daemon, rows, states }) =>
      [...rows, ...exitedRows(states, now)].map((row) => ({ row, daemon: daemon.name }))
    ),
  );
  sayStates(call, known.flatMap(({ states }) => states), now);
  for (const { daemon, states } of answers) {
    if (states !== undefined) continue;
    call.io.err(
      `Note: ${printable(daemon.name)} is older and does not know the state of Envoys\n`,
    );
  }
  return 0;
}

/** Says which Envoys are not well, and of which this is not known. */
function sayStates({ flags, io }: Invocation, all: readonly EnvoyState[], now: number): void {
  const wanted = flags.string("namespace");
  const states = all.filter(({ proxy }) => wanted === "" || proxy.endsWith(`.${wanted}`));
  const paint = painter(io, "err");
  for (const problem of envoyProblems(states, now)) {
    io.err(`${paint("red", printable(problem))}\n`);
  }
  const unknown = unreported(states);
  if (unknown !== undefined) io.err(`${printable(unknown)}\n`);
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
  /** `undefined`: the daemon is older and knows none. */
  readonly states: readonly EnvoyState[] | undefined;
}

async function difference(
  call: Invocation,
  { cluster }: Daemons,
  answers: readonly Answer[],
): Promise<number> {
  const { args: [given] } = call;
  const now = Date.now();
  const rows = answers.flatMap(({ rows, states = [] }) => [...rows, ...exitedRows(states, now)]);
  const pod = cluster === undefined || given === undefined
    ? undefined
    : await podNamed(cluster, given);
  const { name = "", namespace = "" } = pod?.metadata ?? {};
  const proxy = proxyNamed(call, rows, pod === undefined ? given : `${name}.${namespace}`);
  const states = answers.flatMap(({ states = [] }) => states);
  for (const problem of envoyProblems(states.filter((one) => one.proxy === proxy), now)) {
    call.io.err(`${painter(call.io, "err")("red", printable(problem))}\n`);
  }
  const serving = answers.find(({ rows }) => rows.some((row) => row.proxy === proxy));
  const daemon = (serving ?? answers[0])?.daemon;
  if (daemon === undefined) throw new TypeError("there is no daemon");
  if (serving === undefined) {
    throw new MeshError("proxy-exited", `${printable(proxy)} is not connected to a daemon`, {
      remedy: "There is nothing to compare until its agent starts another Envoy.",
    });
  }
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
