/**
 * Lint rules about the shape of code: keys made by hand, functions with many
 * positional parameters or many lines, mutable state of modules in pure rooms.
 *
 * @module
 */
import { isHeld, isTest, locationOf } from "./imports.ts";

/** The most positional parameters that a function may have. */
const MOST_PARAMETERS = 4;

/** Rooms that compute with keys of tables, or show them. */
const KEYED_ROOMS: ReadonlySet<string> = new Set([
  "derive",
  "ingest",
  "translate",
  "monitor",
  "receipts",
  "history",
  "whatif",
  "analyze",
  "debug",
  "explain",
  "simulate",
]);

/** Methods of a read context, a graph, a table or an index that take a key after the table. */
const READERS: ReadonlySet<string> = new Set([
  "get",
  "follow",
  "peek",
  "watch",
  "members",
  "any",
]);

/** Methods of text by which a key could be taken apart. */
const SPLITTERS: ReadonlySet<string> = new Set([
  "split",
  "slice",
  "substring",
  "indexOf",
  "lastIndexOf",
  "startsWith",
  "endsWith",
]);

const KEY_NAME = /(^k|K)ey$/;

/** Keys that are built or taken apart without a codec. */
export function keys(context: Deno.lint.RuleContext, file: string): Deno.lint.LintVisitor {
  const room = locationOf(file);
  if (room.kind === "outside" || isTest(file)) return {};
  if (room.kind !== "room" || !KEYED_ROOMS.has(room.name)) return objectKeys(context);
  const report = (node: Deno.lint.Node, what: string): void => {
    if (isInCodec(node)) return;
    context.report({
      node,
      message: `${what} by hand`,
      hint: "Use the codec of the table: `encode`, `decode`, or a key of its type.",
    });
  };
  return {
    TemplateLiteral(node): void {
      if (node.expressions.length === 0) return;
      if (node.quasis.some((quasi) => quasi.cooked.includes("|"))) report(node, "a key is built");
      else if (isKeyArgument(node) || isObjectKey(node)) report(node, "a key is built");
    },
    CallExpression(node): void {
      const { callee } = node;
      if (callee.type === "Identifier" && callee.name === "splitKey") {
        return report(node, "a key is taken apart");
      }
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (!SPLITTERS.has(callee.property.name)) return;
      const [first] = node.arguments;
      const bar = first?.type === "Literal" && first.value === "|";
      const onKey = callee.object.type === "Identifier" && KEY_NAME.test(callee.object.name);
      if (bar || onKey) report(node, "a key is taken apart");
    },
  };
}

/** Keys of objects that are built by hand, in rooms without other keys. */
function objectKeys(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  return {
    TemplateLiteral(node): void {
      if (!isObjectKey(node)) return;
      context.report({
        node,
        message: "the key of an object is built by hand",
        hint: "Use `objectKey`, with `rowRef` for `Kind/namespace/name`.",
      });
    },
  };
}

/** Reports if a template is the key of an object, with or without its kind. */
function isObjectKey({ quasis, expressions }: Deno.lint.TemplateLiteral): boolean {
  const at = expressions.findIndex((one) => nameOf(one) === "namespace");
  if (at < 0 || nameOf(expressions[at + 1]) !== "name") return false;
  if (quasis.some(({ cooked }, i) => cooked !== (i === 0 || i > at + 1 ? "" : "/"))) return false;
  return at === 0 || at === 1 && nameOf(expressions[0]) === "kind";
}

/** The name of a variable or of a member; `""` for other expressions. */
function nameOf(node: Deno.lint.Node | undefined): string {
  if (node?.type === "MemberExpression") return nameOf(node.property);
  return node?.type === "Identifier" ? node.name : "";
}

/** Reports if a node is the key in a call such as `read.get(table, key)`. */
function isKeyArgument(node: Deno.lint.Node): boolean {
  const parent = parentOf(node);
  if (parent.type !== "CallExpression" || parent.arguments[1]?.range[0] !== node.range[0]) {
    return false;
  }
  const { callee } = parent;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier" &&
    READERS.has(callee.property.name);
}

/** Reports if a node is part of a codec's own conversion: `converted(text, { encode, decode })`. */
function isInCodec(node: Deno.lint.Node): boolean {
  for (let at = node; at.type !== "Program"; at = parentOf(at)) {
    if (
      at.type === "CallExpression" && at.callee.type === "Identifier" &&
      at.callee.name === "converted"
    ) return true;
  }
  return false;
}

type AnyFunction =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

/** Functions with more than four positional parameters. */
export function parameters(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const check = (node: AnyFunction): void => {
    const count = node.params.filter((p) => !(p.type === "Identifier" && p.name === "this")).length;
    if (count <= MOST_PARAMETERS) return;
    context.report({
      node,
      message: `a function with ${count} positional parameters; ${MOST_PARAMETERS} are the most`,
      hint: "Take an options object or a context type.",
    });
  };
  return {
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  };
}

/**
 * The most lines that a function may have, the functions inside it included. Lines of a literal after its
 * first do not count, except those of functions in it: a table is not harder to read when it is long.
 */
const MOST_LINES = 80;

/** A function or a literal of several lines, by its place in the text. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** The function; absent for a literal. */
  readonly node?: AnyFunction;
}

/** Functions that are too long to read on one screen. Tests list their cases in one. */
export function lines(context: Deno.lint.RuleContext, file: string): Deno.lint.LintVisitor {
  if (isTest(file)) return {};
  const { text } = context.sourceCode;
  const spans: Span[] = [];
  const add = ({ range: [start, end] }: Deno.lint.Node, node?: AnyFunction): void => {
    if (text.slice(start, end).includes("\n")) spans.push({ start, end, node });
  };
  return {
    FunctionDeclaration: (node) => add(node, node),
    FunctionExpression: (node) => add(node, node),
    ArrowFunctionExpression: (node) => add(node, node),
    ObjectExpression: (node) => add(node),
    ArrayExpression: (node) => add(node),
    TemplateLiteral: (node) => add(node),
    "Program:exit"(): void {
      for (const { node, start, end } of spans) {
        if (node === undefined) continue;
        const count = countedLines(text, { start, end }, spans);
        if (count <= MOST_LINES) continue;
        context.report({
          node,
          message: `a function of ${count} lines; ${MOST_LINES} are the most`,
          hint: "Name its steps as functions, or make an object with many methods a class.",
        });
      }
    },
  };
}

/** The lines of a function without those whose innermost function or literal is a literal. */
function countedLines(text: string, whole: Span, spans: readonly Span[]): number {
  const all = text.slice(whole.start, whole.end).split("\n");
  if (all.length <= MOST_LINES) return all.length;
  const inside = spans.filter(({ start, end }) => start > whole.start && end <= whole.end);
  let count = 0;
  let at = whole.start;
  for (const line of all) {
    const first = at + line.length - line.trimStart().length;
    let innermost: Span = whole;
    for (const span of inside) {
      if (span.start < first && first < span.end && span.start > innermost.start) innermost = span;
    }
    if (innermost === whole || innermost.node !== undefined) count++;
    at += line.length + 1;
  }
  return count;
}

/** Constructors of values that change. */
const MUTABLE: ReadonlySet<string> = new Set(["Map", "Set", "Array"]);
/** Methods that change them. */
const MUTATORS: ReadonlySet<string> = new Set([
  ..."set add delete clear push pop shift unshift splice sort reverse fill copyWithin".split(" "),
]);

/** Mutable state of modules in pure rooms. */
export function state(context: Deno.lint.RuleContext, file: string): Deno.lint.LintVisitor {
  if (!isHeld(file)) return {};
  const made = new Set<string>();
  const mutated = new Map<string, Deno.lint.Node>();
  const report = (node: Deno.lint.Node, message: string): void => {
    context.report({
      node,
      message: `${message} in a pure room: the same arguments must give the same results`,
      hint: "Keep it in an object that the caller creates.",
    });
  };
  return {
    VariableDeclaration(node): void {
      if (!isOfModule(node)) return;
      if (node.kind !== "const") return report(node, `\`${node.kind}\` of a module`);
      for (const { id, init } of node.declarations) {
        if (id.type === "Identifier" && isMutable(init)) made.add(id.name);
      }
    },
    NewExpression(node): void {
      const name = node.callee.type === "Identifier" ? node.callee.name : "";
      if ((name === "WeakMap" || name === "WeakSet") && isOfModule(node)) {
        report(node, `a ${name} of a module`);
      }
    },
    CallExpression(node): void {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return;
      if (callee.property.type !== "Identifier" || !MUTATORS.has(callee.property.name)) return;
      mutated.set(callee.object.name, node);
    },
    AssignmentExpression({ left }): void {
      if (left.type !== "MemberExpression" || left.object.type !== "Identifier") return;
      mutated.set(left.object.name, left);
    },
    "Program:exit"(): void {
      for (const [name, node] of mutated) {
        if (made.has(name)) report(node, `${name}, which belongs to the module, is changed`);
      }
    },
  };
}

function isMutable(init: Deno.lint.Node | null | undefined): boolean {
  if (init?.type === "NewExpression") {
    return init.callee.type === "Identifier" && MUTABLE.has(init.callee.name);
  }
  return init?.type === "ArrayExpression" || init?.type === "ObjectExpression";
}

/** Reports if code runs when its module is loaded: it is in no function. */
function isOfModule(node: Deno.lint.Node): boolean {
  for (let at = parentOf(node); at.type !== "Program"; at = parentOf(at)) {
    if (/Function|StaticBlock/.test(at.type)) return false;
  }
  return true;
}

/** The node around a node. Comments, which have none, are not visited. */
function parentOf(node: Deno.lint.Node): Deno.lint.Node {
  return (node as { readonly parent: Deno.lint.Node }).parent;
}
