/**
 * Functions of charts for regular expressions, in the syntax of RE2.
 *
 * @module
 */
import { type TemplateFunction, textOf, ValueFault } from "../../../kit/template/mod.ts";
import { compileRegex, type Regex } from "../../../kit/text/mod.ts";

export const REGEXES: Readonly<Record<string, TemplateFunction>> = {
  regexMatch: (pattern, text) => regex(pattern).matchesPart(textOf(text)),
  regexFind: (pattern, text) => regex(pattern).matches(textOf(text), 1)[0]?.groups[0] ?? "",
  regexFindAll: (pattern, text, count) =>
    regex(pattern).matches(textOf(text), most(count)).map(({ groups }) => groups[0]),
  regexReplaceAll: (pattern, text, replacement) =>
    replaced(regex(pattern), textOf(text), textOf(replacement), true),
  regexReplaceAllLiteral: (pattern, text, replacement) =>
    replaced(regex(pattern), textOf(text), textOf(replacement), false),
  regexSplit: (pattern, text, count) => split(regex(pattern), textOf(text), most(count)),
  regexQuoteMeta: (text) => textOf(text).replace(/[\\.+*?()|[\]{}^$]/g, "\\$&"),
};

function regex(pattern: unknown): Regex {
  const compiled = compileRegex(textOf(pattern));
  if (typeof compiled !== "string") return compiled;
  throw new ValueFault(`${JSON.stringify(pattern)} is not a regular expression: ${compiled}`);
}

/** Negative counts are none. */
function most(count: unknown): number {
  return Number(count) < 0 ? Infinity : Number(count);
}

function replaced(regex: Regex, text: string, replacement: string, expands: boolean): string {
  let [result, at] = ["", 0];
  for (const { start, end, groups, named } of regex.matches(text)) {
    const by = expands
      ? replacement.replace(
        /\$(?:\$|\{(\w+)\}|(\w+))/g,
        (whole, braced: string | undefined, plain: string | undefined) => {
          if (whole === "$$") return "$";
          const name = (braced ?? plain)!;
          return (/^\d+$/.test(name) ? groups[Number(name)] : named[name]) ?? "";
        },
      )
      : replacement;
    result += text.slice(at, start) + by;
    at = end;
  }
  return result + text.slice(at);
}

/** The parts between matches, at most so many. */
function split(regex: Regex, text: string, count: number): string[] {
  if (count === 0) return [];
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of regex.matches(text)) {
    if (parts.length === count - 1) break;
    if (end === 0) continue;
    parts.push(text.slice(at, start));
    at = end;
  }
  return [...parts, text.slice(at)];
}
