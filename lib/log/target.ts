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
 * Opens `stdout`, `stderr` or a file (appended to, made if need be).
 *
 * @throws {MeshError} `log-target-invalid` when the file cannot be opened.
 */
export function openTarget(target: string, asJson: boolean): Sink & Disposable {
  const writer = openWriter(target);
  const encoder = new TextEncoder();
  const format = asJson ? jsonLine : consoleLine;
  const sink: Sink = (record) => {
    // A full disk or a closed pipe must not take the program down, and cannot be logged.
    try {
      writeAll(writer, encoder.encode(format(record)));
    } catch { /* see above */ }
  };
  return Object.assign(sink, { [Symbol.dispose]: () => writer.close?.() });
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
