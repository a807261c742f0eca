/**
 * The attacked daemon and its state: memory, liveness, and the wait of an ordinary proxy during the
 * attack.
 *
 * @module
 */
import { fork } from "node:child_process";
import { type Daemon, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { documents, serviceEntry } from "../support/manifest.ts";
import { firstSync } from "./first_sync.ts";
import type { Counts } from "./wire.ts";
import type { Order, Word } from "./attacker.ts";

/** Services that the daemon serves. */
export const SERVICES = 300;

/** Transports for gRPC that a daemon may be started with. */
export type Transport = "native" | "grpc-js";

/** A daemon with {@link SERVICES}. */
export interface Victim extends AsyncDisposable {
  readonly daemon: Daemon;
  /** A daemon that is not attacked. */
  readonly reference: Daemon;
  /** Resident memory after an ordinary first sync, MiB. */
  readonly calmMiB: number;
}

type RunningDaemon = Omit<Victim, "reference">;

/** Daemons to attack one after the other. */
export interface Victims extends AsyncDisposable {
  /**
   * The daemon for the next attack: another one when the last is gone or still has memory of the attack
   * before, in which this attack's would hide.
   */
  next(): Promise<Victim>;
}

/** Memory that an attack may leave for the daemon to be attacked again, MiB. */
const LEFT_MIB = 100;

/** Prepares daemons that serve gRPC over a transport. */
export function victims(transport: Transport): Victims {
  let last: RunningDaemon | undefined;
  let reference: RunningDaemon | undefined;
  return {
    async next() {
      if (!last || !await isCalm(last)) {
        // Its end is not of interest, and an orderly one waits for the streams of the attack.
        last?.daemon.program.kill("SIGKILL");
        await last?.[Symbol.asyncDispose]();
        last = await startCalm(transport);
      }
      reference ??= await startCalm("native");
      return { ...last, reference: reference.daemon };
    },
    [Symbol.asyncDispose]: async () => {
      await last?.[Symbol.asyncDispose]();
      await reference?.[Symbol.asyncDispose]();
    },
  };
}

async function isCalm({ daemon, calmMiB }: RunningDaemon): Promise<boolean> {
  try {
    return await memory(daemon, "VmRSS") - calmMiB < LEFT_MIB;
  } catch {
    return false;
  }
}

/** Starts a daemon and has it serve one proxy. */
async function startCalm(transport: Transport): Promise<RunningDaemon> {
  await using stack = new AsyncDisposableStack();
  const config = stack.use(await makeConfigDir());
  await config.write("services.yaml", services());
  const daemon = stack.use(
    await startDaemon({ configDir: config.path, env: { MESH_GRPC_TRANSPORT: transport } }),
  );
  await firstSync(daemon.xds, SERVICES);
  const calmMiB = await memory(daemon, "VmRSS");
  const parts = stack.move();
  return { daemon, calmMiB, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

function services(): string {
  return documents(...Array.from({ length: SERVICES }, (_, i) => {
    const endpoints = [1, 2, 3].map((e) => ({ address: `10.${i >> 8}.${i & 255}.${e}` }));
    return serviceEntry(`s${i}`, [`s${i}.test`], { number: 80, protocol: "HTTP" }, endpoints);
  }));
}

/** Resident memory of a daemon, MiB: now (`VmRSS`), or at most since it was reset (`VmHWM`). */
async function memory(daemon: Daemon, field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${daemon.program.pid}/status`);
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1];
  if (kib === undefined) throw new Error(`the daemon is gone:\n${daemon.program.output()}`);
  return Number(kib) / 1024;
}

/**
 * Time for which the main thread of a process could run and did not, because the machine was busy
 * with other programs; milliseconds since its start. 0 where the system does not count it.
 */
async function runDelay(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/schedstat`).catch(() => "");
  return Number(text.split(" ")[1] ?? 0) / 1e6;
}

/** Measures without the time for which the machine did not let the daemon, or this process, run. */
async function measured(daemon: Daemon, ask: () => Promise<number>): Promise<number> {
  const delays = () => Promise.all([daemon.program.pid, Deno.pid].map(runDelay));
  const before = await delays();
  const time = await ask();
  const lost = (await delays()).map((delay, i) => delay - before[i]!);
  // The two may have waited at the same time.
  return time - Math.max(...lost);
}

/** Result of an attack. */
export interface Outcome {
  readonly counts: Counts;
  /** Peak of resident memory above what it was before any attack, MiB. */
  readonly roseMiB: number;
  /** The longest response time during the attack, without time in which the daemon could not run, ms. */
  readonly waitedMs: number;
  /** The longest first sync at a daemon that is not attacked, at the same time, ms. */
  readonly referenceMs: number;
  /** Number of requests. */
  readonly asked: number;
}

/** Time in which an attack ends, ms. */
const END_MS = 180_000;

/** Attacks a daemon, and asks it for something again and again while the attack is under way. */
export async function attack(
  victim: Victim,
  order: Order,
  ask: () => Promise<number>,
): Promise<Outcome> {
  const { daemon, reference, calmMiB } = victim;
  await Deno.writeTextFile(`/proc/${daemon.program.pid}/clear_refs`, "5");
  const attacker = fork(new URL("./attacker.ts", import.meta.url).pathname);
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<Counts>();
  let going = true;
  const fail = (reason: string) => {
    going = false;
    const error = new Error(reason);
    begun.reject(error);
    over.reject(error);
  };
  attacker.on("message", (word: Word) => {
    if (word.kind === "begun") return begun.resolve();
    if (word.kind === "failed") return fail(word.reason);
    going = false;
    over.resolve(word.counts);
    // Its connections go, too, before the daemon is asked once more.
    attacker.kill("SIGKILL");
  });
  attacker.once("exit", () => fail("the attacker's process ended early"));
  const timer = setTimeout(() => fail(`the attack did not end in ${END_MS} ms`), END_MS);
  over.promise.catch(() => {});
  attacker.send(order);
  try {
    await begun.promise;
    const times: number[] = [];
    const compared: number[] = [];
    while (going) {
      times.push(await measured(daemon, ask));
      compared.push(await firstSync(reference.xds, SERVICES));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const counts = await over.promise;
    // Once more after the attack, of which something may be left.
    times.push(await measured(daemon, ask));
    const roseMiB = await memory(daemon, "VmHWM") - calmMiB;
    return {
      counts,
      roseMiB,
      waitedMs: Math.max(...times),
      referenceMs: Math.max(...compared),
      asked: times.length,
    };
  } finally {
    clearTimeout(timer);
    attacker.kill("SIGKILL");
  }
}
