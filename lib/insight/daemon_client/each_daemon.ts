import { MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import type { Invocation } from "../../kit/cli/mod.ts";
import type { Daemon, Daemons } from "./connect.ts";

/** The answer of a daemon. */
export interface FromDaemon<T> {
  readonly daemon: Daemon;
  readonly answer: T;
}

/**
 * Asks all daemons at a time. A daemon that fails is a warning, if another one answers.
 *
 * @throws {MeshError} the first failure, if all fail
 */
export async function fromEach<T>(
  call: Pick<Invocation, "io" | "signal">,
  { all }: Pick<Daemons, "all">,
  ask: (daemon: Daemon) => Promise<T>,
): Promise<readonly [FromDaemon<T>, ...FromDaemon<T>[]]> {
  const settled = await Promise.allSettled(all.map(ask));
  call.signal.throwIfAborted();
  const answers: FromDaemon<T>[] = [];
  const faults: { readonly daemon: Daemon; readonly reason: unknown }[] = [];
  for (const [at, daemon] of all.entries()) {
    const one = settled[at];
    if (one?.status === "fulfilled") answers.push({ daemon, answer: one.value });
    else faults.push({ daemon, reason: one?.reason });
  }
  const [first, ...others] = answers;
  if (first === undefined) throw faults[0]?.reason;
  for (const { daemon, reason } of faults) warnOf(call, daemon, reason);
  return [first, ...others];
}

/** Writes a warning about a daemon that does not answer. */
export function warnOf({ io }: Pick<Invocation, "io">, { name }: Daemon, reason: unknown): void {
  io.err(printable(`Warning: ${name} does not answer: ${messageOf(reason)}`) + "\n");
}

/** True if a daemon cannot be asked at all, so that another one may be asked instead. */
export function isAway(error: unknown): boolean {
  return error instanceof MeshError &&
    ["daemon-unreachable", "daemon-timeout"].includes(error.code);
}
