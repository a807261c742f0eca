/**
 * Lint rule about doc comments: one that only repeats the name below it says nothing.
 *
 * @module
 */

/** Words that add nothing to a name. */
const FILLERS: ReadonlySet<string> = new Set("a an the of one its to for in with".split(" "));

/** Endings that make a form of the same word. */
const ENDINGS = /(?:ing|ed|es|s|e)$/;

/** A doc comment, and the line of code after it. */
const COMMENT = /\/\*\*((?:(?!\*\/)[^])*)\*\/[ \t]*\n([^\n]*)/g;

/** The name that a line declares, after its keywords. */
const DECLARED =
  /^\s*(?:(?:export|default|declare|abstract|public|private|protected|static|readonly|override|async|get|set|function\*?|class|interface|type|const|let|enum)\s+)*(#?[A-Za-z_$][\w$]*)/;

/** A comment that repeats a name. */
export interface Repetition {
  /** Its place in the text. */
  readonly range: [number, number];
  readonly name: string;
}

/** Doc comments of which each word is a part of the declared name, or an article or the like. */
export function repetitions(text: string): Repetition[] {
  return [...text.matchAll(COMMENT)].flatMap((match) => {
    const [whole, comment = "", line = ""] = match;
    const name = DECLARED.exec(line)?.[1];
    if (name === undefined || comment.includes("@")) return [];
    const known = new Set(wordsOf(name).map(stem));
    const said = wordsOf(comment).filter((word) => !FILLERS.has(word.toLowerCase()));
    if (said.length === 0 || said.some((word) => !known.has(stem(word)))) return [];
    const end = match.index + whole.lastIndexOf("*/") + 2;
    return [{ range: [match.index, end], name }];
  });
}

/** Refuses doc comments that only repeat the name. */
export function comments(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  return {
    Program(): void {
      for (const { range, name } of repetitions(context.sourceCode.text)) {
        context.report({
          range,
          message: `a doc comment that only repeats the name ${name}`,
          hint: "Remove it, or say what the name does not: unit, form, errors, source, reason.",
        });
      }
    },
  };
}

/** The words of a text or of an identifier. */
function wordsOf(text: string): string[] {
  return text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
}

function stem(word: string): string {
  const lower = word.toLowerCase();
  if (lower.endsWith("ies")) return lower.slice(0, -3) + "y";
  const bare = lower.replace(ENDINGS, "");
  return bare.length >= 3 ? bare : lower;
}
