/**
 * Renders parsed templates.
 *
 * @module
 */
import { ValueFault } from "./value_fault.ts";
import { MeshError } from "../base/mod.ts";
import type { Command, Definitions, Node, Operand, Pipe } from "./ast.ts";
import { templateFault } from "./fault.ts";
import { entriesOf, throughFields } from "./fields.ts";
import { isTrue, kindOf, textOf } from "./values.ts";

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
  /** Files of named templates, for messages; else they are in the template with this name. */
  readonly origins?: ReadonlyMap<string, string>;
  /** A field of nothing is a mistake, as in Go; else it is nothing. */
  readonly isStrict?: boolean;
  /** The name of the template to render; default: the main one. */
  readonly start?: string;
  /** Parses text for `tpl`. With it, `include` and `tpl` are known. */
  readonly nested?: (template: string, text: string) => Definitions;
}

/**
 * Renders a template.
 *
 * @throws MeshError `template` with the line of the action that failed
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
  #definitions: Definitions;
  /** The file of the running template. */
  #file: string;
  #output: string[] = [];
  #characters = 0;
  #steps = 0;
  #depth = 0;

  constructor(input: RenderInput) {
    this.#input = input;
    this.#limits = input.limits ?? DEFAULT_LIMITS;
    this.#definitions = input.definitions;
    this.#file = input.name;
  }

  get steps(): number {
    return this.#steps;
  }

  run(data: unknown): string {
    const main = this.#definitions.get(this.#input.start ?? "") ?? [];
    this.#nodes(main, data, [{ name: "$", value: data }]);
    return this.#output.join("");
  }

  /** Runs a named template. */
  #named(name: string, data: unknown): void {
    const called = this.#definitions.get(name);
    if (called === undefined) throw new ValueFault(`the template ${name} is not defined`);
    if (++this.#depth > this.#limits.depth) throw this.#limit("calls itself too deeply");
    const before = this.#file;
    this.#file = this.#input.origins?.get(name) ?? before;
    this.#nodes(called, data, [{ name: "$", value: data }]);
    this.#file = before;
    this.#depth--;
  }

  /** The output of what `run` renders. */
  #captured(run: () => void): string {
    const outer = this.#output;
    this.#output = [];
    run();
    const text = this.#output.join("");
    this.#output = outer;
    return text;
  }

  #tpl(text: unknown, data: unknown): string {
    if (typeof text !== "string") throw new ValueFault(`tpl needs a text, not ${kindOf(text)}`);
    const outer = this.#definitions;
    const parsed = this.#input.nested!(`${this.#file} (text of tpl)`, text);
    this.#definitions = new Map([...outer, ...parsed]);
    const output = this.#captured(() => this.#named("", data));
    this.#definitions = outer;
    return output;
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
        const value = node.pipe && this.#pipe(node.pipe, dot, scope);
        try {
          this.#named(node.name, value);
        } catch (error) {
          if (error instanceof MeshError) throw error;
          throw templateFault(this.#file, node.at, faultText(error));
        }
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
      () => templateFault(this.#file, node.pipe, "range needs a list, a map or a number"),
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
      throw templateFault(this.#file, pipe, faultText(error));
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
        if (shortcut !== undefined) return this.#fields(shortcut.value, first);
        const given = [...rest.map((one) => this.#argument(one, dot, scope)), ...piped];
        return this.#fields(this.#call(first.name, given), first);
      }
      const value = this.#operand(first, dot, scope);
      const given = [...rest.map((one) => this.#argument(one, dot, scope)), ...piped];
      if (typeof value === "function") return value(...given);
      if (given.length > 0) {
        throw new ValueFault(`${kindOf(value)} cannot be called with arguments`);
      }
      return value;
    } catch (error) {
      if (error instanceof MeshError) throw error;
      throw templateFault(this.#file, first, faultText(error, first));
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
      value = this.#argument(operand, dot, scope);
      if (isTrue(value) === (name === "or")) return { value };
    }
    for (const one of piped) value = one;
    return { value };
  }

  /** The value of an argument: a method without arguments is called. */
  #argument(operand: Operand, dot: unknown, scope: Scope): unknown {
    const value = this.#operand(operand, dot, scope);
    return typeof value === "function" ? value() : value;
  }

  #operand(operand: Operand, dot: unknown, scope: Scope): unknown {
    switch (operand.kind) {
      case "literal":
        return operand.value;
      case "dot":
        return this.#fields(dot, operand);
      case "variable": {
        const found = scope.findLast((one) => one.name === operand.name);
        if (found === undefined) {
          throw new ValueFault(`the variable ${operand.name} is not declared`);
        }
        return this.#fields(found.value, operand);
      }
      case "function":
        return this.#fields(this.#call(operand.name, []), operand);
      case "pipe":
        return this.#fields(this.#pipe(operand.pipe, dot, [...scope]), operand);
    }
  }

  #fields(value: unknown, operand: Operand): unknown {
    return throughFields(value, operand, this.#input.isStrict === true);
  }

  #call(name: string, given: readonly unknown[]): unknown {
    if (++this.#steps > this.#limits.steps) throw this.#limit("runs too many actions");
    if (this.#input.nested !== undefined) {
      const [first, data] = given;
      if (name === "include") return this.#captured(() => this.#named(textOf(first), data));
      if (name === "tpl") return this.#tpl(first, data);
    }
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
    return templateFault(this.#file, { line: 1, column: 1 }, `it ${what}`);
  }
}

/** The text of a mistake; errors of the runtime only say where they happened. */
function faultText(error: unknown, operand?: Operand): string {
  if (error instanceof ValueFault) return error.message;
  return operand?.kind === "function" ? `${operand.name} failed` : "the action failed";
}
