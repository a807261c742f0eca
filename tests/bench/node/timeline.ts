/**
 * The time line of one pod: what its status said, which processes ran for it, and what its agent
 * logged, from the moment at which it is applied.
 *
 * @module
 */
import { listAll, type ListItem, types } from "../../../lib/kit/orch/mod.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import { apply, clientOf, kubectl } from "../../support/node.ts";
import type { Timed } from "./pods.ts";
import { ProgramTime } from "./program_time.ts";

/** Longest time until a pod is ready, ms. */
const DEADLINE_MS = 120_000;
/** Length of a tick in `/proc/PID/stat`, ms. */
const TICK_MS = 10;

interface Status {
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly name: string;
  readonly state?: Readonly<Record<string, unknown>>;
}

interface Pod extends ListItem {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly initContainerStatuses?: readonly Status[];
    readonly containerStatuses?: readonly Status[];
  };
}

/** A moment, in ms since the pod was applied. */
interface Moment {
  readonly at: number;
  readonly what: string;
}

/** Applies pods of which there is one, waits until it is ready, and returns the lines. */
export async function timeline(cluster: NodeCluster, timed: Timed): Promise<string[]> {
  const { namespace, name, objects } = timed;
  using client = await clientOf(cluster);
  const moments: Moment[] = [];
  const seen = new Set<string>();
  const processes = new Processes();
  processes.look();
  const time = new ProgramTime();
  const begin = Date.now();
  const applied = apply(cluster, ...objects);
  let pod = "";
  await eventually(`the pod of ${name} to be ready`, async () => {
    processes.look();
    time.look();
    const selection = { namespace, labelSelector: `app=${name}` };
    const [found] = await listAll<Pod>(client, types.POD, selection);
    for (const fact of factsOf(found)) {
      if (seen.has(fact)) continue;
      seen.add(fact);
      moments.push({ at: Date.now() - begin, what: fact });
    }
    pod = found?.metadata.name ?? pod;
    return seen.has("pod: Ready");
  }, DEADLINE_MS);
  await applied;
  time.look();
  moments.push(...processes.momentsOf(pod, begin));
  const logs = await cluster.run([
    ...["logs", "-n", namespace, pod, "-c", "mesh-proxy", "--timestamps"],
  ]);
  for (const line of logs.stdout.split("\n")) {
    const [time, ...text] = line.split(/\s+/);
    const at = Date.parse(time ?? "") - begin;
    if (Number.isFinite(at)) {
      moments.push({ at, what: `log: ${text.slice(1).join(" ").slice(0, 90)}` });
    }
  }
  await kubectl(cluster, ["delete", "-n", namespace, "deployment", name, "--wait=false"]);
  return [
    ...moments.sort((a, b) => a.at - b.at).map(({ at, what }) =>
      `${at.toFixed(0).padStart(6)} ms  ${what}`
    ),
    ...time.lines(),
  ];
}

function factsOf(pod: Pod | undefined): string[] {
  if (pod === undefined) return [];
  const { spec, status = {} } = pod;
  const containers = [...status.initContainerStatuses ?? [], ...status.containerStatuses ?? []];
  return [
    "pod: made",
    ...spec?.nodeName ? ["pod: has a node"] : [],
    ...(status.conditions ?? []).filter((one) => one.status === "True")
      .map(({ type }) => `pod: ${type}`),
    ...containers.flatMap(({ name, state = {}, started, ready }) => [
      ...Object.keys(state).map((one) => `status of ${name}: ${one}`),
      ...started ? [`status of ${name}: started`] : [],
      ...ready ? [`status of ${name}: ready`] : [],
    ]),
  ];
}

/** Processes of the machine that began after the first look. */
class Processes {
  readonly #before = new Set<string>();
  readonly #found = new Map<string, Process>();
  #isFirst = true;

  look(): void {
    const present = new Set<string>();
    for (const { name: pid } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(pid)) continue;
      present.add(pid);
      if (this.#isFirst) this.#before.add(pid);
      if (this.#before.has(pid)) continue;
      const now = processOf(pid);
      if (now !== undefined) this.#found.set(pid, now);
    }
    this.#isFirst = false;
    for (const [pid, one] of this.#found) {
      if (!present.has(pid) && one.end === undefined) one.end = Date.now();
    }
  }

  momentsOf(pod: string, begin: number): Moment[] {
    return [...this.#found.values()].filter(({ host }) => host === pod).flatMap((one) => {
      const { start, end, command, cpu } = one;
      const what = `${command.slice(0, 60)} (${cpu.toFixed(2)} s)`;
      return [
        { at: start - begin, what: `process: ${what}` },
        ...end === undefined ? [] : [{ at: end - begin, what: `process ended: ${what}` }],
      ];
    });
  }
}

interface Process {
  readonly start: number;
  readonly host: string;
  readonly command: string;
  readonly cpu: number;
  end?: number;
}

function processOf(pid: string): Process | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const environ = Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0");
    return {
      start: bootTime() + Number(fields[19]) * TICK_MS,
      host: environ.find((one) => one.startsWith("HOSTNAME="))?.slice("HOSTNAME=".length) ?? "",
      command: Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()
        .replace(/^\/usr\/local\/bin\/deno run .*? \/usr/, "deno … /usr"),
      cpu: (Number(fields[11]) + Number(fields[12])) * TICK_MS / 1000,
    };
  } catch {
    return undefined; // it has ended
  }
}

/** Time of the machine's start, ms since 1970; by its uptime, which is more exact than `btime`. */
function bootTime(): number {
  const [uptime] = Deno.readTextFileSync("/proc/uptime").split(" ");
  return Date.now() - Number(uptime) * 1000;
}
