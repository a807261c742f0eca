/**
 * Renders parsed templates.
 *
 * @module
 */
import { ValueFault } from "./value_fault.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import type { Command, Definitions, Node, Operand, Pipe } from "./ast.ts";
import { templateFault } from "./fault.ts";
import { fieldOf, isMap, isTrue, kindOf, Structure, textOf } from "./values.ts";

/** A function of templates. The value of a pipe comes as the last argument. */
export type TemplateFunction = (...given: readonly unknown[]) => unknown;

/** Functions by name. */
export type TemplateFunctions = ReadonlyMap<string, TemplateFunction>;

/** Bounds of rendering. */
export interface RenderLimits {
  /** Actions and text pieces that may be run. */
  readonly steps: number;
  /** Characters of the output. */
  readonly characters: number;
  /** Nesting of `template`. */
  readonly depth: number;
}

/** The limits of templates without others. */
export const DEFAULT_LIMITS: RenderLimits = { steps: 200_000, characters: 4 << 20, depth: 50 };

/** A parsed template that can be rendered. */
export interface RenderInput {
  readonly name: string;
  readonly definitions: Definitions;
  readonly functions: TemplateFunctions;
  readonly limits?: RenderLimits;
}

/**
 * Renders a template.
 *
 * @throws MeshError `inject-template` with the line of the action that failed
 */
export function renderTemplate(input: RenderInput, data: unknown): string {
  return renderCounted(input, data).text;
}

/** As `renderTemplate`, with the number of steps that it took. */
export function renderCounted(
  input: RenderInput,
  data: unknown,
): { readonly text: string; readonly steps: number } {
  const renderer = new Renderer(input);
  const text = renderer.run(data);
  return { text, steps: renderer.steps };
}

type Scope = { name: string; value: unknown }[];

/** Ways in which a list of nodes ends. */
type End = "done" | "break" | "continue";

class Renderer {
  readonly #input: RenderInput;
  readonly #limits: RenderLimits;
  #output: string[] = [];
  #characters = 0;
  #steps = 0;
  #depth = 0;

  constructor(input: RenderInput) {
    this.#input = input;
    this.#limits = input.limits ?? DEFAULT_LIMITS;
  }

  get steps(): number {
    return this.#steps;
  }

  run(data: unknown): string {
    const main = this.#input.definitions.get("") ?? [];
    this.#nodes(main, data, [{ name: "$", value: data }]);
    return this.#output.join("");
  }

  #nodes(nodes: readonly Node[], dot: unknown, scope: Scope): End {
    const mark = scope.length;
    for (const node of nodes) {
      if (++this.#steps > this.#limits.steps) throw this.#limit("runs too many actions");
      const end = this.#node(node, dot, scope);
      if (end !== "done") {
        scope.length = mark;
        return end;
      }
    }
    scope.length = mark;
    return "done";
  }

  #node(node: Node, dot: unknown, scope: Scope): End {
    switch (node.kind) {
      case "text":
        this.#write(node.text);
        return "done";
      case "action": {
        const value = this.#pipe(node.pipe, dot, scope);
        if (node.pipe.variables.length === 0) this.#write(textOf(value));
        return "done";
      }
      case "if":
      case "with": {
        const mark = scope.length;
        const value = this.#pipe(node.pipe, dot, scope);
        const holds = isTrue(value);
        const inner = holds && node.kind === "with" ? value : dot;
        const end = this.#nodes(holds ? node.body : node.otherwise, inner, scope);
        scope.length = mark;
        return end;
      }
      case "range":
        this.#range(node, dot, scope);
        return "done";
      case "template": {
        const called = this.#input.definitions.get(node.name);
        if (called === undefined) {
          throw templateFault(
            this.#input.name,
            node.at,
            `the template ${node.name} is not defined`,
          );
        }
        if (++this.#depth > this.#limits.depth) throw this.#limit("calls itself too deeply");
        const value = node.pipe && this.#pipe(node.pipe, dot, scope);
        this.#nodes(called, value, [{ name: "$", value }]);
        this.#depth--;
        return "done";
      }
      case "break":
      case "continue":
        return node.kind;
    }
  }

  #range(node: Node & { kind: "if" | "with" | "range" }, dot: unknown, scope: Scope): void {
    const { variables } = node.pipe;
    const items = entriesOf(
      this.#pipe({ ...node.pipe, variables: [] }, dot, scope),
      () => templateFault(this.#input.name, node.pipe, "range needs a list, a map or a number"),
    );
    if (items.length === 0) return void this.#nodes(node.otherwise, dot, scope);
    const mark = scope.length;
    for (const [key, value] of items) {
      const [first, second] = variables;
      if (first !== undefined) {
        this.#bind(first, second === undefined ? value : key, scope, node.pipe.declares);
      }
      if (second !== undefined) this.#bind(second, value, scope, node.pipe.declares);
      const end = this.#nodes(node.body, value, scope);
      scope.length = mark;
      if (end === "break") break;
    }
  }

  #bind(name: string, value: unknown, scope: Scope, declares: boolean): void {
    if (declares) return void scope.push({ name, value });
    const found = scope.findLast((one) => one.name === name);
    if (found === undefined) throw new ValueFault(`the variable ${name} is not declared`);
    found.value = value;
  }

  #pipe(pipe: Pipe, dot: unknown, scope: Scope): unknown {
    let value: unknown;
    for (const [i, command] of pipe.commands.entries()) {
      const piped = i === 0 ? [] : [value];
      value = this.#command(command, { dot, scope, piped });
    }
    try {
      for (const name of pipe.variables) this.#bind(name, value, scope, pipe.declares);
    } catch (error) {
      throw templateFault(this.#input.name, pipe, faultText(error));
    }
    return value;
  }

  #command(
    command: Command,
    { dot, scope, piped }: { dot: unknown; scope: Scope; piped: readonly unknown[] },
  ): unknown {
    const [first, ...rest] = command as [Operand, ...Operand[]];
    try {
      if (first.kind === "function") {
        const shortcut = this.#shortcut(first.name, rest, { dot, scope, piped });
        if (shortcut !== undefined) return throughFields(shortcut.value, first.fields);
        const given = [...rest.map((one) => this.#operand(one, dot, scope)), ...piped];
        return throughFields(this.#call(first.name, given), first.fields);
      }
      const value = this.#operand(first, dot, scope);
      const given = [...rest.map((one) => this.#operand(one, dot, scope)), ...piped];
      if (typeof value === "function") return value(...given);
      if (given.length > 0) {
        throw new ValueFault(`${kindOf(value)} cannot be called with arguments`);
      }
      return value;
    } catch (error) {
      if (error instanceof MeshError) throw error;
      throw templateFault(this.#input.name, first, faultText(error, first));
    }
  }

  /** `and` and `or` evaluate their arguments only until the result is known. */
  #shortcut(
    name: string,
    operands: readonly Operand[],
    { dot, scope, piped }: { dot: unknown; scope: Scope; piped: readonly unknown[] },
  ): { readonly value: unknown } | undefined {
    if (name !== "and" && name !== "or") return undefined;
    let value: unknown;
    for (const operand of operands) {
      value = this.#operand(operand, dot, scope);
      if (isTrue(value) === (name === "or")) return { value };
    }
    for (const one of piped) value = one;
    return { value };
  }

  #operand(operand: Operand, dot: unknown, scope: Scope): unknown {
    const { kind, fields } = operand;
    switch (kind) {
      case "literal":
        return operand.value;
      case "dot":
        return throughFields(dot, fields);
      case "variable": {
        const found = scope.findLast((one) => one.name === operand.name);
        if (found === undefined) {
          throw new ValueFault(`the variable ${operand.name} is not declared`);
        }
        return throughFields(found.value, fields);
      }
      case "function":
        return throughFields(this.#call(operand.name, []), fields);
      case "pipe":
        return throughFields(this.#pipe(operand.pipe, dot, [...scope]), fields);
    }
  }

  #call(name: string, given: readonly unknown[]): unknown {
    if (++this.#steps > this.#limits.steps) throw this.#limit("runs too many actions");
    const called = this.#input.functions.get(name);
    if (called === undefined) throw new ValueFault(`the function ${name} is not known`);
    return called(...given);
  }

  #write(text: string): void {
    this.#characters += text.length;
    if (this.#characters > this.#limits.characters) throw this.#limit("writes too much text");
    this.#output.push(text);
  }

  #limit(what: string): MeshError {
    return templateFault(this.#input.name, { line: 1, column: 1 }, `it ${what}`);
  }
}

/** The text of a mistake; errors of the runtime only say where they happened. */
function faultText(error: unknown, operand?: Operand): string {
  if (error instanceof ValueFault) return error.message;
  return operand?.kind === "function" ? `${operand.name} failed` : "the action failed";
}

function throughFields(value: unknown, fields: readonly string[]): unknown {
  return fields.reduce(fieldOf, value);
}

/** The keys and elements that `range` visits; keys of maps are sorted. */
function entriesOf(value: unknown, fault: () => MeshError): [unknown, unknown][] {
  if (value === undefined || value === null || value === "") return [];
  if (Array.isArray(value)) return value.map((one, i) => [i, one]);
  if (typeof value === "number") return Array.from({ length: value }, (_, i) => [i, i]);
  const map = value instanceof Structure ? value.value : value;
  if (!isMap(map)) throw fault();
  return Object.keys(map).sort().map((key) => [key, map[key]]);
}
