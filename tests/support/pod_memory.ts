/**
 * Memory of the programs of a pod, as the kernel counts it for their processes.
 *
 * @module
 */

/** Memory of the processes of a program in a pod, in MiB. */
export interface ProgramMemory {
  /** Pages that are in memory, with those that other processes share. */
  readonly resident: number;
  /** The same, with the process's part of shared pages. */
  readonly proportional: number;
}

/** Programs of a container with the agent. */
export interface PodMemory {
  readonly agent: ProgramMemory;
  readonly proxy: ProgramMemory;
}

/** Programs by a word of their command lines. */
const WORDS = { agent: "/pilot-agent/main.js", proxy: "/usr/local/bin/dataproxy" } as const;

/** The memory of agent and proxy in the pod of a name; the caller may read `/proc`. */
export async function podMemory(pod: string): Promise<PodMemory> {
  const found: { -readonly [Name in keyof PodMemory]?: ProgramMemory } = {};
  for (const { name: pid } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(pid) || !await isOf(pid, pod)) continue;
    const line = await textOf(pid, "cmdline");
    // The proxy's command line names the agent's files, too.
    const kind = line.startsWith(WORDS.proxy) ? "proxy" : "agent";
    if (line.includes(WORDS[kind])) found[kind] = memoryOf(await textOf(pid, "smaps_rollup"));
  }
  const { agent, proxy } = found;
  if (agent === undefined || proxy === undefined) {
    throw new Error(`the pod ${pod} has no processes of agent and proxy on this machine`);
  }
  return { agent, proxy };
}

async function isOf(pid: string, pod: string): Promise<boolean> {
  return (await textOf(pid, "environ")).split("\0").includes(`POD_NAME=${pod}`);
}

/** A file of a process; empty if the process has ended. */
function textOf(pid: string, file: string): Promise<string> {
  return Deno.readTextFile(`/proc/${pid}/${file}`).catch(() => "");
}

function memoryOf(text: string): ProgramMemory {
  const mib = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? NaN) / 1024;
  return { resident: mib("Rss"), proportional: mib("Pss") };
}
