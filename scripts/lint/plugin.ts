/**
 * The project's lint plugin: rooms, packages and purity, from the table in
 * `rooms.ts`. What a look at one file cannot tell is left to `deno task rooms`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { comments } from "./comments.ts";
import { EXEMPT, type ShapeRule } from "./exempt.ts";
import { isHeld, judge, type Offence } from "./imports.ts";
import { keys, lines, parameters, state } from "./shape.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Global names that bring a clock, randomness, the network, files or the process into a pure room. */
const IMPURE: ReadonlySet<string> = new Set([
  ..."Deno Date Temporal performance crypto fetch process navigator location console".split(" "),
  ..."setTimeout setInterval setImmediate requestAnimationFrame alert confirm prompt".split(" "),
  ..."WebSocket EventSource XMLHttpRequest Worker BroadcastChannel caches".split(" "),
  ..."localStorage sessionStorage globalThis self window".split(" "),
]);

/** Syntax whose `key` is a name of its own and not a use of a global. */
const KEYED: ReadonlySet<string> = new Set([
  "Property",
  "PropertyDefinition",
  "MethodDefinition",
  "AccessorProperty",
  "TSPropertySignature",
  "TSMethodSignature",
  "TSAbstractPropertyDefinition",
  "TSAbstractMethodDefinition",
]);

const plugin: Deno.lint.Plugin = {
  name: "mesh",
  rules: {
    rooms: { create: (context) => imports(context, "rooms") },
    packages: { create: (context) => imports(context, "packages") },
    pure: { create: pure },
    comments: { create: comments },
    keys: { create: shaped("keys", keys) },
    lines: { create: shaped("lines", lines) },
    parameters: { create: shaped("parameters", parameters) },
    state: { create: shaped("state", state) },
  },
};
export default plugin;

type Rule = (context: Deno.lint.RuleContext, file: string) => Deno.lint.LintVisitor;

/** A rule of `shape.ts`, for all files that are not exempt yet. */
function shaped(
  rule: ShapeRule,
  create: Rule,
): (context: Deno.lint.RuleContext) => Deno.lint.LintVisitor {
  return (context) => {
    const file = relative(context.filename);
    return EXEMPT[rule].includes(file) ? {} : create(context, file);
  };
}

/** Visits everything that names another module, and reports what breaks one rule. */
function imports(context: Deno.lint.RuleContext, rule: Offence["rule"]): Deno.lint.LintVisitor {
  const file = relative(context.filename);
  const check = (node: Deno.lint.Node, source: Deno.lint.Node | null | undefined): void => {
    const literal = source?.type === "TSLiteralType" ? source.literal : source;
    if (literal?.type !== "Literal" || typeof literal.value !== "string") return;
    const offence = judge(file, literal.value);
    if (offence?.rule === rule) context.report({ node, message: offence.message });
  };
  return {
    ImportDeclaration: (node) => check(node, node.source),
    ExportNamedDeclaration: (node) => check(node, node.source),
    ExportAllDeclaration: (node) => check(node, node.source),
    ImportExpression: (node) => check(node, node.source),
    TSImportType: (node) => check(node, node.argument),
  };
}

function pure(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  if (!isHeld(relative(context.filename))) return {};
  let last = -1;
  const report = (node: Deno.lint.Node, name: string): void => {
    if (node.range[0] === last) return; // `{ fetch }` is visited as key and as value
    last = node.range[0];
    context.report({
      node,
      message: `${name} in a pure room: no clock, randomness, network, files or process state`,
      hint: "Let the caller hand in the value, or a function that gives it.",
    });
  };
  return {
    ...imports(context, "pure"),
    Identifier(node): void {
      if (IMPURE.has(node.name) && !isOwnName(node)) report(node, node.name);
    },
    MemberExpression(node): void {
      if (node.object.type === "Identifier" && node.object.name === "Math" && isRandom(node)) {
        report(node, "Math.random");
      }
    },
  };
}

function isRandom({ property }: Deno.lint.MemberExpression): boolean {
  return property.type === "Identifier"
    ? property.name === "random"
    : property.type === "Literal" && property.value === "random";
}

/** Reports if an identifier is the name of a member, not a use of the global of that name. */
function isOwnName(node: Deno.lint.Identifier): boolean {
  const parent = node.parent;
  if (parent.type === "MemberExpression") return !parent.computed && same(parent.property, node);
  if (parent.type === "TSQualifiedName") return same(parent.right, node);
  if (KEYED.has(parent.type)) {
    const { key, computed, shorthand } = parent as Deno.lint.Property;
    return !computed && !shorthand && same(key, node);
  }
  return false;
}

function same(a: Deno.lint.Node, b: Deno.lint.Node): boolean {
  return a.range[0] === b.range[0] && a.range[1] === b.range[1];
}

function relative(filename: string): string {
  const path = filename.startsWith("file:") ? fileURLToPath(filename) : filename;
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : path;
}
