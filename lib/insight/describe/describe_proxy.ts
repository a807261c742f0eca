import { messageOf, printable } from "../../kit/base/mod.ts";
import type { Invocation } from "../../kit/cli/mod.ts";
import {
  authzTable,
  clustersOf,
  type Dump,
  inboundTls,
  listenersOf,
  parseDump,
  routesOf,
  routeTable,
  syncCells,
  syncProblems,
  type SyncRow,
} from "../config_dump/mod.ts";
import { type Pod, podId } from "../cluster_access/mod.ts";
import { askJson, type Daemon, fromEach, openDaemons } from "../daemon_client/mod.ts";

const LINE = "--------------------";

/**
 * Lines about the configuration that the daemon serves to the proxy of a pod: whether the proxy has
 * it, mutual TLS and policies of inbound requests, and its routes to some hosts. A daemon that does
 * not answer is a line, too: the objects of the cluster are described without it.
 */
export async function describeProxy(
  call: Invocation,
  pod: Pod,
  hosts: readonly string[],
): Promise<readonly string[]> {
  const proxy = podId(pod);
  try {
    await using daemons = await openDaemons(call);
    const found = await fromEach(
      call,
      daemons,
      (daemon) => askJson<readonly SyncRow[]>(call, daemon, "syncz"),
    );
    for (const { daemon, answer } of found) {
      const row = answer.find((one) => one.proxy === proxy);
      if (row !== undefined) return await servedLines(call, daemon, { row, hosts });
    }
    const names = found.map(({ daemon }) => daemon.name).join(", ");
    return [LINE, `WARNING: the proxy ${proxy} is not connected to the daemon (${names})`];
  } catch (error) {
    call.signal.throwIfAborted();
    return [LINE, printable(`WARNING: the daemon was not asked: ${messageOf(error)}`)];
  }
}

async function servedLines(
  call: Invocation,
  daemon: Daemon,
  { row, hosts }: { readonly row: SyncRow; readonly hosts: readonly string[] },
): Promise<readonly string[]> {
  const query = `config_dump?proxyID=${encodeURIComponent(row.proxy)}`;
  const dump = parseDump(JSON.stringify(await askJson(call, daemon, query)), daemon.name);
  const [, , cds = "", lds = "", eds = "", rds = ""] = syncCells(row, daemon.name);
  const listeners = listenersOf(dump, { address: "", port: 0, type: "" });
  const clusters = clustersOf(dump, { fqdn: "", port: 0, subset: "", direction: "" });
  return [
    LINE,
    `Proxy: ${row.proxy}, served by ${daemon.name}`,
    `   CDS ${cds}, LDS ${lds}, EDS ${eds}, RDS ${rds}`,
    ...syncProblems(row).map((problem) => `WARNING: ${problem}`),
    `   ${listeners.length} listeners, ${
      routesOf(dump, "").length
    } routes, ${clusters.length} clusters`,
    ...inboundLines(dump),
    ...hosts.flatMap((host) => routeLines(dump, host)),
  ];
}

function inboundLines(dump: Dump): string[] {
  const modes = inboundTls(dump).map(({ port, mode }) =>
    `   ${port === "" ? "Other ports" : `Port ${port}`}: mTLS ${mode}`
  );
  const policies = authzTable(dump).rows.map(([action, policy, rules]) =>
    `   ${action} ${policy} (rules: ${rules})`
  );
  return [
    ...modes.length === 0 ? [] : ["Inbound mTLS of the proxy:", ...modes],
    ...policies.length === 0 ? [] : ["Policies that the proxy enforces:", ...policies],
  ];
}

/** Routes of the proxy itself to a host. */
function routeLines(dump: Dump, host: string): string[] {
  // A virtual host that is a resource of its own has the name of its table before a slash.
  const rows = routeTable(routesOf(dump, ""), false).rows.filter(([, virtualHost = ""]) =>
    virtualHost.replace(/^.*\//, "").replace(/:\d+$/, "") === host
  );
  if (rows.length === 0) return [];
  return [
    `Routes of the proxy to ${host}:`,
    ...rows.map(([name, , , match, behind]) =>
      `   ${name} ${match}${
        behind === ""
          ? ""
          : `: ${/^\d+$/.test(behind ?? "") ? "status" : "VirtualService"} ${behind}`
      }`
    ),
  ];
}
