/**
 * The demo after its steps: prints each applied edit, each rejected and repaired document, each
 * likely mistake, and the traffic after it, as they happen.
 *
 * @module
 */
import type { Daemon } from "../harness/mod.ts";

/** The used part of a receipt of `/debug/receipts`. */
export interface Receipt {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent for a deleted object. */
  readonly generation?: number;
  readonly revision: number;
  readonly resourceCount: number;
  readonly sessions: {
    readonly concerned: number;
    readonly acknowledged: number;
    readonly superseded: number;
    readonly rejected: number;
  };
  readonly complete: boolean;
  /** Milliseconds from the edit to the last acknowledgement. */
  readonly p99Ms?: number;
  readonly streams: readonly { readonly message?: string }[];
}

/** The used part of a problem of `/debug/configz?problems=true`. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
  readonly lastGoodServes?: boolean;
}

/** The used part of a message of `/debug/analysis`. */
export interface Mistake {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly origin: string;
  readonly file: string;
  readonly line: number;
  readonly path: string;
}

/** The daemon's pages at one moment. */
export interface Observed {
  /** Newest first. */
  readonly receipts: readonly Receipt[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly mistakes: readonly Mistake[];
}

/** A line of the output. */
export interface Line {
  readonly label: "applied" | "pending" | "rejected" | "repaired" | "warning" | "cleared";
  readonly text: string;
}

/** Time between two readings of the daemon's pages, ms. */
const EVERY_MS = 250;

/** Time after an acknowledgement in which the threads of a proxy take a change up, ms. */
const SETTLE_MS = 500;

/** Time in which a failure may be followed by the signal that explains it, ms. */
const STOPPING_MS = 2_000;

/** Lines about the differences of two moments, in the order of causes and effects. */
export function linesOf(before: Observed, now: Observed): Line[] {
  const seen = new Map(before.receipts.map((one) => [receiptKey(one), one.complete]));
  const applied = now.receipts.filter((one) => seen.get(receiptKey(one)) !== one.complete)
    .toReversed().map(receiptLine);
  const files = new Set(now.problems.map(({ file }) => file));
  const repaired = [...new Set(before.problems.map(({ file }) => file))]
    .filter((file) => !files.has(file))
    .map((file): Line => ({ label: "repaired", text: file }));
  return [
    ...repaired,
    ...applied,
    ...added(before.problems, now.problems, problemText).map((text) => line("rejected", text)),
    ...added(before.warnings, now.warnings, problemText).map((text) => line("warning", text)),
    ...added(before.mistakes, now.mistakes, mistakeText).map((text) => line("warning", text)),
    ...added(now.mistakes, before.mistakes, mistakeTitle).map((text) => line("cleared", text)),
  ];
}

function line(label: Line["label"], text: string): Line {
  return { label, text };
}

/** The texts of the items of `now` that no item of `before` has. */
function added<T>(before: readonly T[], now: readonly T[], textOf: (item: T) => string): string[] {
  const known = new Set(before.map(textOf));
  return now.map(textOf).filter((text) => !known.has(text));
}

function receiptKey({ kind, namespace, name, revision }: Receipt): string {
  return `${kind}/${namespace}/${name}@${revision}`;
}

function receiptLine(receipt: Receipt): Line {
  const { kind, namespace, name, generation, resourceCount: count, sessions } = receipt;
  const object = `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}` +
    (generation === undefined ? " (deleted)" : "");
  const text = (result: string) => `${object}: ${result}`;
  if (sessions.concerned === 0) return line("applied", text("no connected proxy needs it"));
  const resources = `${count} ${count === 1 ? "resource" : "resources"} changed`;
  const accepted = sessions.acknowledged + sessions.superseded;
  const proxies = `${accepted} of ${sessions.concerned} proxies accepted`;
  if (!receipt.complete) return line("pending", text(`${resources}, ${proxies} so far`));
  const reason = receipt.streams.find(({ message }) => message !== undefined)?.message;
  if (sessions.rejected > 0) return line("rejected", text(`a proxy rejected it: ${reason ?? "?"}`));
  const after = receipt.p99Ms === undefined ? "" : ` after ${receipt.p99Ms} ms`;
  return line("applied", text(`${resources}, ${proxies}${after}`));
}

function problemText(problem: Problem): string {
  const { file, path, message, remedy } = problem;
  const at = path === "" ? "" : ` ${path}:`;
  const last = problem.lastGoodServes ? " The last good version keeps serving." : "";
  return `${file}:${problem.line}:${problem.column}${at} ${message}. ${remedy}${last}`;
}

function mistakeTitle({ code, origin, message }: Mistake): string {
  return `${origin}: ${message} (${code})`;
}

function mistakeText(mistake: Mistake): string {
  const { file, path } = mistake;
  const place = file === "" ? "" : ` In ${file}:${mistake.line}${path === "" ? "" : ` ${path}`}.`;
  return `${mistakeTitle(mistake)}.${place} ${mistake.remedy}`;
}

/** Inputs of {@link follow}. */
export interface FollowInputs {
  readonly daemon: Pick<Daemon, "debug">;
  /** Sends requests after each edit and says in words what they met. */
  readonly traffic?: () => Promise<string>;
  /** Prints one line. */
  readonly print: (label: string, text: string) => void;
  readonly signal: AbortSignal;
}

/** Prints changes until the signal is aborted. */
export async function follow({ daemon, traffic, print, signal }: FollowInputs): Promise<void> {
  let before = await observe(daemon);
  while (!signal.aborted) {
    await pause(EVERY_MS, signal);
    if (signal.aborted) return;
    let now: Observed;
    try {
      now = await observe(daemon);
    } catch (e) {
      // Ctrl-C reaches the daemon as well, perhaps earlier than this process.
      await pause(STOPPING_MS, signal);
      if (signal.aborted) return;
      throw e;
    }
    const lines = linesOf(before, now);
    before = now;
    for (const { label, text } of lines) print(label, text);
    if (
      traffic !== undefined && lines.some(({ label }) => label !== "warning" && label !== "cleared")
    ) {
      await pause(SETTLE_MS, signal);
      if (signal.aborted) return;
      print("traffic", await traffic());
    }
  }
}

async function observe(daemon: Pick<Daemon, "debug">): Promise<Observed> {
  const [receipts, files, mistakes] = await Promise.all([
    daemon.debug<Receipt[]>("receipts"),
    daemon.debug<Pick<Observed, "problems" | "warnings">>("configz?problems=true"),
    daemon.debug<Mistake[]>("analysis"),
  ]);
  return { receipts, problems: files.problems, warnings: files.warnings, mistakes };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
