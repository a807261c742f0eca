import type { Sink } from "@logtape/logtape";
import { MeshError } from "../base/mod.ts";
import { consoleLine, jsonLine } from "./format.ts";

/**
 * Mode of log files: readable by the group, writable by the owner, because logs have names of
 * workloads.
 */
const FILE_MODE = 0o640;

/** A stream of a target, such as the standard streams and open files. */
interface Writer {
  writeSync(bytes: Uint8Array): number;
  close?(): void;
}

/**
 * Time in ms for which lines below the level `warn` wait for others: each write costs a system call
 * and wakes the reader, hundreds of times when proxies reconnect. Warnings and errors are written
 * at once.
 */
const LINGER_MS = 10;

/** The program may end before that time, also by an uncaught error. */
const ENDS = ["unload", "error", "unhandledrejection"] as const;

/** Maximum of waiting characters. */
const MOST_WAITING = 32 * 1024;

/**
 * Opens `stdout`, `stderr` or a file, which is created or appended to.
 *
 * @throws {MeshError} `log-target-invalid` when the file cannot be opened.
 */
export function openTarget(target: string, asJson: boolean): Sink & Disposable {
  const writer = openWriter(target);
  const encoder = new TextEncoder();
  const format = asJson ? jsonLine : consoleLine;
  let waiting = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = "";
    // A full disk or a closed pipe must not end the program, and cannot be logged.
    try {
      if (text !== "") writeAll(writer, encoder.encode(text));
    } catch { /* see above */ }
  };
  const sink: Sink = (record) => {
    waiting += format(record);
    if (record.level !== "info" && record.level !== "debug" || waiting.length > MOST_WAITING) {
      flush();
    } else if (timer === undefined) Deno.unrefTimer(timer = setTimeout(flush, LINGER_MS));
  };
  for (const end of ENDS) globalThis.addEventListener(end, flush);
  return Object.assign(sink, {
    [Symbol.dispose]: () => {
      for (const end of ENDS) globalThis.removeEventListener(end, flush);
      flush();
      writer.close?.();
    },
  });
}

function openWriter(target: string): Writer {
  if (target === "stdout") return { writeSync: (bytes) => Deno.stdout.writeSync(bytes) };
  if (target === "stderr") return { writeSync: (bytes) => Deno.stderr.writeSync(bytes) };
  try {
    return Deno.openSync(target, { append: true, create: true, mode: FILE_MODE });
  } catch (cause) {
    throw new MeshError("log-target-invalid", `cannot write the log to ${target}`, {
      remedy: "Give stdout, stderr, or a path in a directory that exists and can be written to.",
      cause,
    });
  }
}

function writeAll(writer: Writer, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writer.writeSync(bytes.subarray(at));
}
