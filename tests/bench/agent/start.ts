/**
 * Start of an agent to ready, and its memory at rest.
 *
 * @module
 */
import { type AgentOptions, startAgent } from "../../../scripts/harness/mod.ts";
import { cpuSeconds } from "../push/measure.ts";

export interface Start {
  readonly ms: number;
  readonly cpu: number;
  /** Resident memory at rest, MiB. */
  readonly resident: number;
  /** The part of it that no other process shares, MiB. */
  readonly own: number;
}

/** Time after ready until memory is read, ms. */
const REST_MS = 5000;

/** Starts an agent, waits until it is ready and at rest, and ends it. */
export async function startOnce(options: AgentOptions): Promise<Start> {
  const begin = performance.now();
  await using agent = await startAgent(options);
  const ms = performance.now() - begin;
  const cpu = await cpuSeconds(agent.program.pid);
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const { resident, own } = await memoryParts(agent.program.pid);
  return { ms, cpu, resident, own };
}

async function memoryParts(pid: number): Promise<{ resident: number; own: number }> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const mib = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024;
  return { resident: mib("VmRSS"), own: mib("RssAnon") };
}

/** Cells of a table: medians of the starts. */
export function startCells(all: readonly Start[]): string[] {
  const median = (value: (start: Start) => number): number =>
    all.map(value).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
  return [
    median((s) => s.ms).toFixed(0),
    median((s) => s.cpu).toFixed(2),
    median((s) => s.resident).toFixed(0),
    median((s) => s.own).toFixed(0),
  ];
}
