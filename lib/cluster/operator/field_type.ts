/**
 * Types of the fields of documents.
 *
 * @module
 */

export type FieldType =
  | { readonly kind: "text"; readonly choices?: readonly string[] }
  | { readonly kind: "bool" }
  | { readonly kind: "count" }
  /** A number, or a text such as `25%`. */
  | { readonly kind: "count or text" }
  /** A map of texts. */
  | { readonly kind: "texts" }
  | { readonly kind: "fields"; readonly fields: Fields; readonly required?: readonly string[] }
  | { readonly kind: "list"; readonly item: FieldType }
  /** A map that another part checks, or that the orchestrator checks. */
  | { readonly kind: "map" }
  | { readonly kind: "any" };

/** Fields by name. */
export type Fields = Readonly<Record<string, FieldType>>;

export const TEXT: FieldType = { kind: "text" };
export const BOOL: FieldType = { kind: "bool" };
export const COUNT: FieldType = { kind: "count" };
export const COUNT_OR_TEXT: FieldType = { kind: "count or text" };
export const TEXTS: FieldType = { kind: "texts" };
export const MAP: FieldType = { kind: "map" };
export const ANY: FieldType = { kind: "any" };

export function choice(...choices: readonly string[]): FieldType {
  return { kind: "text", choices };
}

export function listOf(item: FieldType): FieldType {
  return { kind: "list", item };
}

export function mapOf(fields: Fields, required?: readonly string[]): FieldType {
  return { kind: "fields", fields, required };
}
