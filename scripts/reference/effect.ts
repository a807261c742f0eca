/**
 * The effect of each field of a kind, from its table of effective fields.
 *
 * @module
 */
import type { DescField, DescMessage } from "../../lib/kit/proto/mod.ts";
import type { EffectiveFields } from "../../lib/mesh/schema/mod.ts";

/** A message that a specification contains, with the effect of its fields by JSON name. */
export interface DescribedMessage {
  readonly schema: DescMessage;
  readonly fields: ReadonlyMap<string, FieldEffect>;
}

/** The effect of a field, over all places of its message. */
export interface FieldEffect {
  /** Paths at which it has an effect, and at which it has none. */
  readonly effective: readonly string[];
  readonly ineffective: readonly string[];
  /** Values without effect. */
  readonly values: readonly string[];
}

/** Messages of the protos of Mesh; those of others are shown as one value. */
export function isOwn(schema: DescMessage): boolean {
  return schema.typeName.startsWith("mesh.");
}

/** The messages of a specification in the order of their first use. */
export function describedMessages(
  schema: DescMessage,
  { paths, ineffectiveValues = {} }: EffectiveFields,
): DescribedMessage[] {
  const clean = paths.map((path) => path.replaceAll("[]", ""));
  const isEffective = (path: string): boolean =>
    clean.some((one) => one === path || path.startsWith(`${one}.`) || one.startsWith(`${path}.`));
  const values = new Map(
    Object.entries(ineffectiveValues).map(([path, list]) => [path.replaceAll("[]", ""), list]),
  );
  const found = new Map<string, { schema: DescMessage; fields: Map<string, FieldEffect> }>();
  const visit = (message: DescMessage, at: string, above: readonly string[]): void => {
    const entry = found.get(message.typeName) ?? { schema: message, fields: new Map() };
    found.set(message.typeName, entry);
    for (const field of message.fields) {
      const path = at === "" ? field.jsonName : `${at}.${field.jsonName}`;
      const known = entry.fields.get(field.jsonName) ??
        { effective: [], ineffective: [], values: [] };
      const acts = isEffective(path);
      entry.fields.set(field.jsonName, {
        effective: acts ? [...known.effective, path] : known.effective,
        ineffective: acts ? known.ineffective : [...known.ineffective, path],
        values: [...new Set([...known.values, ...values.get(path) ?? []])],
      });
      const below = messageOf(field);
      if (below === undefined || !isOwn(below) || above.includes(below.typeName)) continue;
      // A message without effect is not described: its own row says so.
      if (acts) visit(below, path, [...above, below.typeName]);
    }
  };
  visit(schema, "", [schema.typeName]);
  return [...found.values()];
}

/** The message of a field, of the items of a list, or of the values of a map. */
export function messageOf(field: DescField): DescMessage | undefined {
  return field.message;
}
