import type { Sink } from "@logtape/logtape";
import { MeshError } from "../base/mod.ts";
import { consoleLine, jsonLine } from "./format.ts";

/** Readable by the owner's group, writable by the owner: logs may hold names of workloads. */
const FILE_MODE = 0o640;

/** What a target writes to; the standard streams and open files have this shape. */
interface Writer {
  writeSync(bytes: Uint8Array): number;
  close?(): void;
}

/**
 * Lines that only inform wait this long for others, ms: a line of its own costs a call of the system and
 * wakes who reads, hundreds of times in a row when proxies come back. Warnings and worse go out at once.
 */
const LINGER_MS = 10;

/** The program may end before the time is up, by itself or by an error that nobody caught. */
const ENDS = ["unload", "error", "unhandledrejection"] as const;

/** Characters that may wait. */
const MOST_WAITING = 32 * 1024;

/**
 * Opens `stdout`, `stderr` or a file (appended to, made if need be).
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
    // A full disk or a closed pipe must not take the program down, and cannot be logged.
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
