import { MeshError, printable } from "../../lib/base/mod.ts";
import { dataError, type Invocation, progressOn, usageError } from "../../lib/cli/mod.ts";
import { askJson, daemonOf } from "./connect.ts";

/** A receipt as `/debug/receipts` gives it. */
interface Receipt {
  readonly generation?: number;
  readonly complete: boolean;
  readonly sessions: Readonly<Record<"concerned" | "acknowledged" | "superseded", number>>;
  readonly streams: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly message?: string;
  }[];
}

/** Time between two questions, in milliseconds. */
const PAUSE_MS = 250;

/** Waits until the edit of an object has been acknowledged by the proxies that it concerns. */
export async function wait(call: Invocation): Promise<number> {
  const { flags, args: [kind = "", given = ""], io, signal } = call;
  const dot = given.indexOf(".");
  const name = dot < 0 ? given : given.slice(0, dot);
  const namespace = dot < 0 ? flags.string("namespace") || "default" : given.slice(dot + 1);
  const threshold = flags.number("threshold");
  if (threshold <= 0 || threshold > 1) {
    throw usageError("--threshold must be above 0 and at most 1");
  }
  const object = [kind, namespace, name].join("/");
  const daemon = await daemonOf(call);
  const generation = flags.number("generation");
  const end = performance.now() + flags.number("timeout");
  using progress = progressOn(io);
  let last: Receipt | undefined;
  while (performance.now() < end) {
    const query = `receipts?resource=${encodeURIComponent(object)}`;
    const receipts = await askJson<readonly Receipt[]>(call, daemon, query);
    if (!Array.isArray(receipts)) throw dataError(`${daemon.name} answered without receipts`);
    last = receipts.find((receipt) => (receipt.generation ?? Infinity) >= generation);
    const rejected = last?.streams.find(({ outcome }) => outcome === "rejected");
    if (rejected !== undefined) throw refusedBy(object, rejected);
    if (last !== undefined && shareOf(last) >= threshold) {
      io.out(`${printable(object)}: ${describe(last)}\n`);
      return 0;
    }
    progress.step(`${object}: ${last === undefined ? "no such edit yet" : describe(last)}`);
    await pause(signal);
  }
  const state = last === undefined ? "no such edit was seen" : describe(last);
  throw new MeshError("wait-timeout", `${printable(object)} has not landed: ${state}`, {
    remedy: last === undefined
      ? "Check the kind, the name and --generation; an edit without effect has no receipt."
      : "`meshctl proxy-status` shows which proxies are behind.",
  });
}

/** Share of the concerned proxies that have this version or a later one; 1 if none is concerned. */
function shareOf({ complete, sessions }: Receipt): number {
  if (sessions.concerned === 0) return complete ? 1 : 0;
  return (sessions.acknowledged + sessions.superseded) / sessions.concerned;
}

function describe({ generation, sessions }: Receipt): string {
  const have = sessions.acknowledged + sessions.superseded;
  const which = generation === undefined ? "its removal" : `generation ${generation}`;
  return `${which} is acknowledged by ${have} of ${sessions.concerned} proxies`;
}

function refusedBy(object: string, { id, message = "" }: Receipt["streams"][number]): MeshError {
  return new MeshError("wait-rejected", printable(`${object} is rejected by ${id}: ${message}`), {
    remedy: "`/debug/quarantine` of the daemon has the resource and the objects behind it.",
  });
}

async function pause(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(resolve, PAUSE_MS);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
