/**
 * Cost of the relay: first syncs of clients, from the daemon directly and through an agent.
 *
 * @module
 */
import type { Agent, Daemon } from "../../../scripts/harness/mod.ts";
import { cpuSeconds, memory } from "../push/measure.ts";
import { startClients } from "../push/run.ts";

/** Rows of a table: megabytes, seconds, CPU of the agent for each megabyte, its peak. */
export async function relayRows(
  { daemon, agent, socket, clients }: {
    readonly daemon: Daemon;
    readonly agent: Agent;
    /** Path of the agent's xDS socket. */
    readonly socket: string;
    readonly clients: number;
  },
): Promise<string[]> {
  const rows: string[] = [];
  const { pid } = agent.program;
  // The first round only warms the daemon's cache up.
  for (const [name, target] of [["", daemon.xds], ["daemon, directly", daemon.xds]] as const) {
    const { megabytes, seconds } = await sync(target, clients);
    if (name) rows.push(`| ${name} | ${megabytes.toFixed(0)} | ${seconds.toFixed(2)} | | |`);
  }
  for (const name of ["agent", "agent, once more"]) {
    const before = await cpuSeconds(pid);
    const { megabytes, seconds } = await sync(`unix:${socket}`, clients);
    const each = (await cpuSeconds(pid) - before) * 1000 / megabytes;
    const { peak } = await memory(pid);
    const cells = [name, megabytes.toFixed(0), seconds.toFixed(2), each.toFixed(1)];
    rows.push(`| ${cells.join(" | ")} | ${peak.toFixed(0)} |`);
  }
  return rows;
}

async function sync(
  target: string,
  clients: number,
): Promise<{ megabytes: number; seconds: number }> {
  const process = await startClients({ target, clients, delta: true, workloads: 5 });
  const begin = performance.now();
  const { bytes } = await process.ask(`connect ${target}`);
  const seconds = (performance.now() - begin) / 1000;
  await process.ask("quit");
  return { megabytes: bytes / 1e6, seconds };
}
