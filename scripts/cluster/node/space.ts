/**
 * The namespaces of a cluster: processes, mounts and network of its own. Its first process is a
 * shell that reaps; when it ends, the kernel ends every process in it, and mounts, network
 * namespaces and links go with them. The machine keeps the folder and the control groups, which
 * are removed afterwards.
 *
 * @module
 */
import { eventually } from "../../harness/ports.ts";
import { join } from "../../paths.ts";
import { CLUSTER_ENV } from "../programs.ts";
import { type Outcome, output } from "./commands.ts";
import { containerGroups, enterGroups, makeGroups, removeGroups } from "./groups.ts";
import { initScript, SETTINGS_FOLDER } from "./init.ts";
import { clusterNamespaces, nodeNamespaces } from "./namespaces.ts";
import {
  claimFolder,
  isAbandoned,
  isRunning,
  type ProcessId,
  processId,
  readRecords,
  type SpaceRecord,
  writeRecord,
} from "./record.ts";

/** The namespaces that a program runs in. */
export interface Place {
  /** Name of a node; absent: the namespaces that all nodes share. */
  readonly node?: string;
}

/** Input of a program. */
export interface Input {
  /** Text on its standard input, */
  readonly input?: string;
  /** or the path of a file on the machine; the namespaces hide some. */
  readonly inputFile?: string;
}

/** Namespaces with what runs in them. */
export interface Space {
  readonly dir: string;
  readonly record: SpaceRecord;
  /** Runs a program in the namespaces. */
  run(command: readonly string[], place?: Place & Input): Promise<Outcome>;
  /** Starts a program that goes on; its output goes to `NAME.log` in the folder. */
  launch(name: string, command: readonly string[], place?: Place): Promise<void>;
  /** Starts a program again that this process launched and that has ended. */
  relaunch(name: string): Promise<void>;
  /** Sends a signal to a launched program. */
  signal(name: string, signal: Deno.Signal): Promise<void>;
  /** Ends a launched program and waits for its end. */
  stop(name: string, signal?: Deno.Signal): Promise<void>;
  /** True if a launched program runs. */
  isLaunched(name: string): Promise<boolean>;
  /** The end of a launched program's output. */
  log(name: string): Promise<string>;
  update(change: Partial<SpaceRecord>): Promise<void>;
}

/**
 * Makes the namespaces.
 *
 * @param isDetached true: they outlive this process
 * @returns `undefined` if there is a space of that name
 */
export async function openSpace(name: string, isDetached: boolean): Promise<Space | undefined> {
  const owner = processId(Deno.pid)!;
  // Until a detached space is ready, it belongs to the process that makes it.
  const dir = await claimFolder({ name, owner });
  if (dir === undefined) return undefined;
  const space = new LocalSpace(dir, { name, owner });
  try {
    await space.update({ init: await startInit(space, isDetached) });
    return space;
  } catch (error) {
    await closeSpace(space);
    throw error;
  }
}

/** Makes the namespaces and returns their first process. */
async function startInit({ dir, record }: Space, isDetached: boolean): Promise<ProcessId> {
  await makeGroups(record.name);
  const log = join(dir, "init.log");
  await Deno.writeTextFile(join(dir, "init.sh"), initScript(dir));
  await Deno.mkdir(join(dir, SETTINGS_FOLDER));
  await Deno.mkdir(join(dir, "pids"));
  const unshare = [
    ...["unshare", "--mount", "--propagation=private", "--net", "--pid", "--mount-proc"],
    ...["--fork", "--kill-child", "bash", join(dir, "init.sh")],
  ];
  const outer = isDetached
    ? await startDetached(record.name, unshare, log)
    : startOwned(record.name, unshare, log);
  const init = await eventually("the namespaces of a cluster", async () => {
    if (processId(outer) === undefined) return "ended";
    await Deno.stat(join(dir, "ready"));
    return childOf(outer);
  }, START_MS);
  if (init !== "ended") return init;
  throw new Error(`there are no namespaces: ${await Deno.readTextFile(log)}`);
}

/** Longest time to make namespaces, in milliseconds. */
const START_MS = 30_000;

/** Clusters by name; the folder of one that nobody uses is removed first. */
export async function openSpaces(): Promise<Space[]> {
  await sweepSpaces();
  const records = await readRecords();
  return records.map(({ dir, ...record }) => new LocalSpace(dir, record));
}

/** Removes what killed runs left, and returns the names of their clusters. */
export async function sweepSpaces(): Promise<string[]> {
  const swept: string[] = [];
  for (const { dir, ...record } of await readRecords()) {
    if (!isAbandoned(record)) continue;
    await closeSpace(new LocalSpace(dir, record));
    swept.push(record.name);
  }
  return swept;
}

/** Ends all processes and removes everything. */
export async function closeSpace({ dir, record }: Space): Promise<void> {
  const { init, name, link } = record;
  const containers = isRunning(init) ? await containerGroups(init!.pid) : [];
  if (isRunning(init)) Deno.kill(init!.pid, "SIGKILL");
  await eventually(`the processes of ${name} to end`, () => !isRunning(init));
  await removeGroups(name, containers);
  // The kernel removes network namespaces one after the other, which can take minutes: their links are not left to it.
  if (link !== undefined && isLink(link)) {
    await output(["ip", "link", "delete", link]);
    await eventually(`the link ${link} to go`, () => !isLink(link));
  }
  await Deno.remove(dir, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // another run was faster
  });
}

/** True if the machine has a network link of that name. */
export function isLink(name: string): boolean {
  try {
    Deno.lstatSync(`/sys/class/net/${name}`);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

class LocalSpace implements Space {
  readonly dir: string;
  #record: SpaceRecord;
  readonly #launched = new Map<
    string,
    { readonly command: readonly string[]; readonly place: Place }
  >();

  constructor(dir: string, record: SpaceRecord) {
    this.dir = dir;
    this.#record = record;
  }

  get record(): SpaceRecord {
    return this.#record;
  }

  async update(change: Partial<SpaceRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await writeRecord(this.dir, this.#record);
  }

  run(
    command: readonly string[],
    { node, input, inputFile }: Place & Input = {},
  ): Promise<Outcome> {
    const redirect = inputFile === undefined ? "" : ' < "$0"';
    const script = `${enterGroups(this.#record.name)} exec "$@"${redirect}`;
    return output(
      ["sh", "-c", script, inputFile ?? "sh", ...this.#entered(node), ...command],
      input,
    );
  }

  async launch(name: string, command: readonly string[], place: Place = {}): Promise<void> {
    this.#launched.set(name, { command, place });
    const log = join(this.dir, `${name}.log`);
    const pid = join(this.dir, "pids", name);
    // The number that is noted is that in the namespace of processes of its place.
    const inner = ["sh", "-c", `echo $$ > "$0"; exec "$@"`, pid, ...command];
    const { success, stderr } = await output([
      "sh",
      "-c",
      `${enterGroups(this.#record.name)} rm -f "$1"; log=$0; shift; ` +
      `setsid "$@" < /dev/null >> "$log" 2>&1 &`,
      log,
      pid,
      ...this.#entered(place.node),
      ...inner,
    ]);
    if (!success) throw new Error(`${name} does not start: ${stderr}`);
    await eventually(
      `${name} to start; see ${log}`,
      async () => (await Deno.readTextFile(pid)).trim() !== "",
    );
  }

  async relaunch(name: string): Promise<void> {
    const launched = this.#launched.get(name);
    if (launched === undefined) throw new Error(`${name} was not launched by this process`);
    await this.launch(name, launched.command, launched.place);
  }

  async signal(name: string, signal: Deno.Signal): Promise<void> {
    const number = await this.#pidOf(name);
    await this.run(["kill", `-${signal.slice("SIG".length)}`, number], this.#placeOf(name));
  }

  async stop(name: string, signal: Deno.Signal = "SIGTERM"): Promise<void> {
    if (!await this.isLaunched(name)) return;
    await this.signal(name, "SIGCONT"); // a stopped process takes no signal but SIGKILL
    await this.signal(name, signal);
    await eventually(`${name} to end`, async () => !await this.isLaunched(name));
  }

  async isLaunched(name: string): Promise<boolean> {
    return (await this.run(["kill", "-0", await this.#pidOf(name)], this.#placeOf(name))).success;
  }

  async log(name: string): Promise<string> {
    const text = await Deno.readTextFile(join(this.dir, `${name}.log`));
    return text.slice(-LOG_END);
  }

  async #pidOf(name: string): Promise<string> {
    return (await Deno.readTextFile(join(this.dir, "pids", name))).trim();
  }

  #placeOf(name: string): Place {
    const launched = this.#launched.get(name);
    if (launched === undefined) throw new Error(`${name} was not launched by this process`);
    return launched.place;
  }

  #entered(node: string | undefined): string[] {
    const own = clusterNamespaces(this.#record.init!);
    return node === undefined ? own : [...own, ...nodeNamespaces(this.dir, node)];
  }
}

/** Characters of a log in an error. */
const LOG_END = 3_000;

/**
 * Starts a command that ends with this process, also if that is killed. It has a session of its own:
 * Ctrl-C on a terminal is for this process, which ends the command in its own time.
 */
function startOwned(name: string, command: readonly string[], log: string): number {
  const child = new Deno.Command("sh", {
    args: [
      "-c",
      `${enterGroups(name)} exec setsid setpriv --pdeathsig KILL -- "$@" >> "$0" 2>&1`,
      log,
      ...command,
    ],
    env: CLUSTER_ENV,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  child.unref();
  return child.pid;
}

async function startDetached(
  name: string,
  command: readonly string[],
  log: string,
): Promise<number> {
  const script = `${enterGroups(name)} setsid "$@" < /dev/null >> "$0" 2>&1 & echo $!`;
  const { success, stdout, stderr } = await output(["sh", "-c", script, log, ...command]);
  if (!success) throw new Error(stderr);
  return Number(stdout);
}

async function childOf(pid: number): Promise<ProcessId | undefined> {
  const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
  const [child] = children.trim().split(" ");
  return child === undefined || child === "" ? undefined : processId(Number(child));
}
