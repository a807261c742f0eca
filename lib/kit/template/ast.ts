/**
 * The syntax tree of templates.
 *
 * @module
 */

/** A position in the text of a template, 1-based. */
export interface TemplatePosition {
  readonly line: number;
  readonly column: number;
}

/** A value in an action. `fields` are the names after it, as in `$x.A.B` and `(list 1).A`. */
export type Operand =
  & TemplatePosition
  & { readonly fields: readonly string[] }
  & (
    | { readonly kind: "dot" }
    | { readonly kind: "variable"; readonly name: string }
    | { readonly kind: "literal"; readonly value: string | number | boolean | null }
    | { readonly kind: "function"; readonly name: string }
    | { readonly kind: "pipe"; readonly pipe: Pipe }
  );

/** Operands in a row: a function or method with its arguments, or one value. */
export type Command = readonly Operand[];

/** Commands joined by `|`, and the variables that get the result. */
export interface Pipe extends TemplatePosition {
  /** Names with `$`; two of them for `range`. */
  readonly variables: readonly string[];
  /** True for `:=`, false for `=`. */
  readonly declares: boolean;
  readonly commands: readonly Command[];
}

/** A part of a template. */
export type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "action"; readonly pipe: Pipe }
  | {
    readonly kind: "if" | "with" | "range";
    readonly pipe: Pipe;
    readonly body: readonly Node[];
    readonly otherwise: readonly Node[];
  }
  | {
    readonly kind: "template";
    readonly name: string;
    readonly pipe: Pipe | undefined;
    readonly at: TemplatePosition;
  }
  | { readonly kind: "break" | "continue" };

/** Named templates of a text; the main one has the empty name. */
export type Definitions = ReadonlyMap<string, readonly Node[]>;
