/**
 * Regular expressions in the syntax of RE2, which is what Envoy runs: linear
 * time, no look-around, no back-references.
 *
 * @module
 */
import { RE2JS, RE2JSException } from "re2js";

/** A compiled expression. */
export interface Regex {
  readonly source: string;
  /** Whether it matches the whole of a text, as routes do. */
  matchesAll(text: string): boolean;
  /** Whether it matches somewhere in a text. */
  matchesPart(text: string): boolean;
}

/** Compiles an expression. Returns what is wrong with it as a string when RE2 would refuse it. */
export function compileRegex(source: string): Regex | string {
  try {
    const compiled = RE2JS.compile(source);
    return {
      source,
      matchesAll: (text) => compiled.testExact(text),
      matchesPart: (text) => compiled.test(text),
    };
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}

/** What is wrong with an expression; `undefined` when RE2 takes it. */
export function regexFault(source: string): string | undefined {
  const result = compileRegex(source);
  return typeof result === "string" ? result : undefined;
}
