import type { LogRecord } from "@logtape/logtape";
import { canonicalJson, MeshError, printable } from "../base/mod.ts";
import type { Level } from "./level.ts";

/** The parts of a log record. */
interface Parts {
  readonly time: string;
  readonly level: Level;
  readonly scope: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly caller: string | undefined;
  readonly stack: string | undefined;
}

/**
 * One line `<ISO time> TAB <level> TAB <scope> TAB [<file:line> TAB] <message> TAB key=value …`; a
 * stack trace follows on separate lines. Control characters in messages and values are escaped, so
 * one message is one line.
 */
export function consoleLine(record: LogRecord): string {
  const { time, level, scope, message, fields, caller, stack } = take(record);
  const columns = [time, level, scope];
  if (caller !== undefined) columns.push(caller);
  columns.push(printable(message));
  const pairs = Object.entries(fields).map(([key, value]) => `${printable(key)}=${text(value)}`);
  if (pairs.length > 0) columns.push(pairs.join(" "));
  const trace = stack === undefined ? "" : `\n\t${stack.replaceAll("\n", "\n\t")}`;
  return `${columns.join("\t")}${trace}\n`;
}

/** One JSON object on each line: level, time, scope, msg, caller and stack if any, then fields. */
export function jsonLine(record: LogRecord): string {
  const { time, level, scope, message, fields, caller, stack } = take(record);
  const own = { level, time, scope, msg: message, caller, stack };
  const line: Record<string, unknown> = { ...own };
  for (const [key, value] of Object.entries(fields)) {
    // A field does not override a member of the line.
    line[Object.hasOwn(own, key) ? `${key}_` : key] = plain(value);
  }
  return `${JSON.stringify(line)}\n`;
}

function take(record: LogRecord): Parts {
  const { fields, caller, stack } = record.properties as Pick<Parts, "fields" | "caller" | "stack">;
  return {
    time: new Date(record.timestamp).toISOString(),
    level: record.level === "warning" ? "warn" : record.level as Level,
    scope: record.category.at(-1) ?? "default",
    message: String(record.message[0] ?? ""),
    fields,
    caller,
    stack,
  };
}

/** Errors become message, remedy and cause; values without a JSON form become strings. */
function plain(value: unknown): unknown {
  if (value instanceof MeshError) {
    return `${value.message}${value.remedy === undefined ? "" : ` ${value.remedy}`}`;
  }
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value === "bigint") return value.toString();
  if (value !== null && typeof value === "object") return structure(value);
  return typeof value === "function" || typeof value === "symbol" ? String(value) : value;
}

function structure(value: object): unknown {
  try {
    return JSON.parse(canonicalJson(value));
  } catch {
    return String(value);
  }
}

function text(value: unknown): string {
  const simple = plain(value);
  if (typeof simple === "string") {
    return /^[^\s"=]+$/.test(simple) && printable(simple) === simple
      ? simple
      : printable(JSON.stringify(simple));
  }
  return printable(JSON.stringify(simple) ?? String(simple));
}
