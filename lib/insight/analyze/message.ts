/**
 * Analysis messages, and their forms as text and JSON.
 *
 * @module
 */
import { rowRef } from "../../mesh/graph/mod.ts";
import { printable } from "../../kit/base/mod.ts";
import { type MessageSummary, objectKey } from "../../mesh/model/mod.ts";
import type { ObjectIdentity, SchemaProblem } from "../../mesh/schema/mod.ts";
import { type Code, CODES, sentenceOf } from "./codes.ts";

/** A result of an analyzer about one object. */
export interface Finding {
  readonly code: Code;
  /** Arguments of the code's sentence, in order. */
  readonly args: readonly string[];
  /** Field of the object: `spec.http[0].route[0].destination.host`; empty for the whole object. */
  readonly path: string;
  /** The way to fix this case; it replaces the remedy of the code. */
  readonly remedy?: string;
}

/** A finding with its object and position. */
export interface Message extends MessageSummary {
  readonly code: Code;
  /** One sentence without a full stop. */
  readonly message: string;
  /** A full sentence. */
  readonly remedy: string;
  readonly path: string;
  /** Empty when the object is not from a file. */
  readonly file: string;
  /** 1-based line of the object, or of the field in schema messages. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** The stable code of a schema problem, such as `unknown-field`. */
  readonly reason?: string;
  /** True when a daemon rejects the document. */
  readonly rejected: boolean;
}

/** Makes a message of a finding. */
export function messageOfFinding(
  finding: Finding,
  object: ObjectIdentity,
  position: { readonly file?: string; readonly line?: number } | undefined,
): Message {
  const { code, args, path, remedy } = finding;
  const row = CODES[code];
  return {
    code,
    name: row.name,
    level: row.level,
    message: sentenceOf(code, args),
    remedy: remedy ?? row.remedy,
    path,
    object,
    file: position?.file ?? "",
    line: position?.line ?? 1,
    column: 1,
    rejected: false,
  };
}

/** The message of a problem or warning of a document. */
export function messageOfProblem(problem: SchemaProblem, rejected: boolean): Message {
  const code = rejected ? "MSH0106" : "MSH0133";
  const { code: reason, message, remedy, path, object, file, line, column } = problem;
  const { name, level } = CODES[code];
  return { code, name, level, message, remedy, path, object, file, line, column, reason, rejected };
}

/**
 * `Kind/namespace/name: path: message (file:line:column). Remedy [MSH0101]`, in one line; of a file
 * as a whole `file: message. Remedy`.
 */
export function renderMessage(one: Message): string {
  const { object, path, message, file, line, column, remedy, reason, code } = one;
  const isWhole = object === undefined && path === "" && line === 1 && column === 1;
  if (isWhole) return printable(`${file}: ${message}. ${remedy}`);
  const name = object === undefined ? "" : `${refOf(object)}: `;
  const at = file === "" ? "" : ` (${file}:${line}:${column})`;
  const tag = reason === undefined ? ` [${code}]` : "";
  return printable(`${name}${path === "" ? "" : `${path}: `}${message}${at}. ${remedy}${tag}`);
}

/** The JSON form, with the fields that readers of `meshctl analyze -o json` know. */
export function messageJson(one: Message): Readonly<Record<string, unknown>> {
  const { code, name, level, message, remedy, path, file, line, column, reason, rejected } = one;
  return {
    code,
    name,
    level,
    message,
    remedy,
    origin: one.object === undefined ? "" : originOf(one.object),
    reference: file === "" ? "" : `${file}:${line}`,
    documentationUrl: `docs/analysis.md#${code.toLowerCase()}`,
    file,
    line,
    column,
    path,
    ...(reason === undefined ? {} : { reason }),
    rejected,
  };
}

function refOf({ kind, namespace, name }: ObjectIdentity): string {
  return rowRef({ table: kind, key: objectKey({ namespace, name }) });
}

/** `Kind namespace/name`, or `Kind name` of an object without namespace. */
export function originOf({ kind, namespace, name }: ObjectIdentity): string {
  return `${kind} ${namespace === "" ? name : objectKey({ namespace, name })}`;
}
