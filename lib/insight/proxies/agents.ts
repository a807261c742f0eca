/**
 * States of proxies by the debug taps of their agents.
 *
 * @module
 */
import { messageOf, printable } from "../../kit/base/mod.ts";
import { type Invocation, progressOn } from "../../kit/cli/mod.ts";
import type { SyncRow } from "../config_dump/mod.ts";
import { askDaemon, askJson, namesDaemon, openDaemons } from "../daemon_client/mod.ts";
import {
  type ClusterAccess,
  hasProxy,
  isRunning,
  openCluster,
  type Pod,
  podId,
  podsOf,
  withPodPort,
} from "../cluster_access/mod.ts";

/** A proxy, and the daemon that serves it. */
export interface ServedRow {
  readonly row: SyncRow;
  readonly daemon: string;
}

/** Port of an agent's debug tap. */
const TAP_PORT = 15_004;
/** Agents that are asked at a time. */
const AT_A_TIME = 8;

/**
 * The rows of proxies that agents give: the agent of `--xds-address`, or those of the pods of the
 * cluster. An agent that does not answer is a warning.
 */
export async function agentRows(call: Invocation): Promise<readonly ServedRow[]> {
  const { flags, io } = call;
  if (namesDaemon(flags)) {
    await using daemons = await openDaemons(call);
    const [tap] = daemons.all;
    const rows = await askJson<SyncRow[]>(call, tap, "syncz");
    return rows.map((row) => ({ row, daemon: tap.name }));
  }
  using cluster = await openCluster(call, { timeoutMs: flags.number("timeout") });
  const limit = flags.number("xds-via-agents-limit");
  const pods = (await podsOf(cluster, { namespace: flags.string("namespace") }))
    .filter((pod) => hasProxy(pod) && isRunning(pod));
  const asked = limit > 0 ? pods.slice(0, limit) : pods;
  if (asked.length < pods.length) {
    io.err(`Note: ${asked.length} of ${pods.length} agents are asked (--xds-via-agents-limit)\n`);
  }
  using progress = progressOn(io);
  const found = new Map<string, ServedRow>();
  for (let at = 0; at < asked.length; at += AT_A_TIME) {
    progress.step(`asking agents ${at}/${asked.length}`);
    const some = asked.slice(at, at + AT_A_TIME);
    for (const rows of await Promise.all(some.map((pod) => rowsOfAgent(call, cluster, pod)))) {
      // Agents of one daemon may answer about its other proxies, too.
      for (const one of rows) found.set(one.row.proxy, found.get(one.row.proxy) ?? one);
    }
  }
  return [...found.values()];
}

async function rowsOfAgent(
  call: Invocation,
  cluster: ClusterAccess,
  pod: Pod,
): Promise<readonly ServedRow[]> {
  try {
    return await withPodPort(cluster, pod, TAP_PORT, async (address) => {
      const timeoutMs = call.flags.number("timeout");
      const question = { query: "syncz", timeoutMs, signal: call.signal };
      const { text } = await askDaemon({ address }, question);
      const rows = JSON.parse(text) as readonly SyncRow[];
      return rows.map((row) => ({ row, daemon: `agent of ${podId(pod)}` }));
    });
  } catch (error) {
    call.signal.throwIfAborted();
    call.io.err(printable(`Warning: ${podId(pod)}: ${messageOf(error)}`) + "\n");
    return [];
  }
}
