/**
 * The report of a check of files, as text and as JSON.
 *
 * @module
 */
import { printable } from "../../kit/base/mod.ts";
import { type Message, messageJson, renderMessage } from "./message.ts";

/** A report: what goes to standard output and standard error. */
export interface Report {
  readonly out: string;
  readonly err: string;
  /** True when a document or file is rejected. */
  readonly rejected: boolean;
}

/**
 * The report as text: warnings and what was not checked, then all errors in one block, else a line for
 * each valid file.
 */
export function textReport(
  files: readonly string[],
  messages: readonly Message[],
  unchecked: readonly string[] = [],
): Report {
  const errors = messages.filter((one) => one.rejected).map(renderMessage);
  const warnings = [
    ...messages.filter((one) => !one.rejected)
      .map((one) => `${one.level === "Info" ? "Info" : "Warning"}: ${renderMessage(one)}\n`),
    ...unchecked.map((part) => `Note: not checked: ${part}\n`),
  ];
  if (errors.length > 0) {
    const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
    const block = `Error: ${count} occurred:\n${errors.map((text) => `\t* ${text}\n`).join("")}\n`;
    return { out: "", err: warnings.join("") + block, rejected: true };
  }
  if (files.length === 0) {
    warnings.push("Warning: there is no .yaml, .yml or .json file to check\n");
  }
  const out = files.map((name) => `"${printable(name)}" is valid\n`).join("");
  return { out, err: warnings.join(""), rejected: false };
}

/** The report as a JSON array of messages. */
export function jsonReport(messages: readonly Message[]): Report {
  const out = `${JSON.stringify(messages.map(messageJson), null, 2)}\n`;
  return { out, err: "", rejected: messages.some((one) => one.rejected) };
}
