import { MeshError, printable } from "../../lib/base/mod.ts";
import { type Invocation, painter, tableText } from "../../lib/cli/mod.ts";
import {
  compareDumps,
  parseDump,
  SYNC_HEAD,
  syncCells,
  syncProblems,
  type SyncRow,
} from "../../lib/config_dump/mod.ts";
import { askJson, type Daemon, daemonOf } from "./connect.ts";
import { readDump } from "./dump_source.ts";
import { proxyNamed } from "./proxy_name.ts";

/** Prints how far proxies follow the daemon; with a proxy, how its configuration differs. */
export async function proxyStatus(call: Invocation): Promise<number> {
  const { flags, args: [given], io } = call;
  if (flags.given.has("xds-via-agents")) {
    throw new MeshError("not-supported", "--xds-via-agents is not supported yet", {
      remedy: "Give the address of an agent's debug tap: --xds-address http://localhost:15004.",
    });
  }
  const daemon = await daemonOf(call);
  const rows = await askJson<SyncRow[]>(call, daemon, "syncz");
  if (given !== undefined || flags.string("file") !== "") {
    return await difference(call, daemon, { rows, given });
  }
  const sorted = rows.toSorted((a, b) => a.proxy < b.proxy ? -1 : 1);
  const wanted = flags.string("namespace");
  const shown = sorted.filter(({ proxy }) => wanted === "" || proxy.endsWith(`.${wanted}`));
  io.out(tableText(SYNC_HEAD, shown.map((row) => syncCells(row, daemon.name))));
  const paint = painter(io, "err");
  for (const row of shown) {
    for (const problem of syncProblems(row)) io.err(`${paint("yellow", printable(problem))}\n`);
  }
  return 0;
}

interface Asked {
  readonly rows: readonly SyncRow[];
  readonly given: string | undefined;
}

async function difference(
  call: Invocation,
  daemon: Daemon,
  { rows, given }: Asked,
): Promise<number> {
  const proxy = proxyNamed(call, rows, given);
  const file = call.flags.string("file");
  if (file === "") {
    throw new MeshError("dump-unknown", `no config dump of ${printable(proxy)} to compare with`, {
      remedy: "Give the proxy's own dump with --file: a file, -, or the URL of its admin page, " +
        "such as http://localhost:15000.",
    });
  }
  const own = await readDump(call, file);
  const query = `config_dump?proxyID=${encodeURIComponent(proxy)}`;
  const served = parseDump(JSON.stringify(await askJson(call, daemon, query)), daemon.name);
  for (const { title, matches, difference } of compareDumps(served, own)) {
    call.io.out(matches ? `${title} Match\n` : `${title} Don't Match\n${difference}`);
  }
  return 0;
}
