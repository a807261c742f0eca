/**
 * Expressions of configuration as formats.
 *
 * @module
 */
import { celFault, unknownFunction } from "../../schema/mod.ts";

const TEXT = /^(?:"([^"\\%]+)"|'([^'\\%]+)')$/;

/**
 * The format of an expression's value. A text in quotes stands for itself.
 *
 * @returns `undefined` for one that the proxy would refuse, and with it the listener
 */
export function celFormat(expression: string): string | undefined {
  const text = TEXT.exec(expression.trim());
  if (text !== null) return text[1] ?? text[2];
  return isReadable(expression) && !expression.includes(")%") ? `%CEL(${expression})%` : undefined;
}

/** Whether the proxy can read an expression. */
export function isReadable(expression: string): boolean {
  return celFault(expression) === undefined && unknownFunction(expression) === undefined;
}
