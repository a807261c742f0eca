/**
 * CEL expressions as log formats.
 *
 * @module
 */
import { celFault, unknownFunction } from "../../schema/mod.ts";

const TEXT = /^(?:"([^"\\%]+)"|'([^'\\%]+)')$/;

/**
 * Returns the format of an expression's value. A quoted string is a literal.
 *
 * @returns `undefined` for an expression that Envoy would reject together with the listener
 */
export function celFormat(expression: string): string | undefined {
  const text = TEXT.exec(expression.trim());
  if (text !== null) return text[1] ?? text[2];
  return isReadable(expression) && !expression.includes(")%") ? `%CEL(${expression})%` : undefined;
}

/** Reports if the proxy can parse an expression. */
export function isReadable(expression: string): boolean {
  return celFault(expression) === undefined && unknownFunction(expression) === undefined;
}
