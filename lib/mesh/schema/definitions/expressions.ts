/**
 * Rules of messages in definitions of custom resources, and the expressions that they are made of.
 *
 * @module
 */

/** A rule in the Common Expression Language (CEL); the API server evaluates it. */
export interface Rule {
  /** Expression over `self`; false refuses the object. */
  readonly rule: string;
  /** The message of the refusal; it names the fields. */
  readonly message: string;
}

export interface MessageConditions {
  /** JSON names of fields that must be present. A list or text among them must not be empty. */
  readonly required?: readonly string[];
  readonly rules?: readonly Rule[];
}

/** Expression that is true for a list, map or text that is present and not empty. */
export function filled(name: string): string {
  return `(has(self.${name}) && size(self.${name}) > 0)`;
}

/** Expression that is true for a field that is present. */
export function present(name: string): string {
  return `has(self.${name})`;
}

/** Expression that is true for a field with a value. */
export function isValue(name: string, value: string): string {
  return `(has(self.${name}) && self.${name} == '${value}')`;
}

/** Number of true expressions, as an expression. */
export function countOf(expressions: readonly string[]): string {
  return expressions.map((one) => `(${one} ? 1 : 0)`).join(" + ");
}

/** At most one of the expressions may be true. */
export function exclusive(expressions: readonly string[], message: string): Rule {
  const [a, b] = expressions;
  const rule = expressions.length === 2 ? `!(${a} && ${b})` : `${countOf(expressions)} <= 1`;
  return { rule, message };
}
