/**
 * The codes of analysis messages: one table, which messages, commands and `docs/analysis.md` are
 * made from. Codes, names and levels follow the interface description of `meshctl analyze`; codes
 * that no analyzer emits are not listed.
 *
 * @module
 */
import type { CodeRow } from "./code_row.ts";
import { DOCUMENT_CODES, type DocumentCode } from "./document_codes.ts";
import { MESH_CODES, type MeshCode } from "./mesh_codes.ts";
import { OBJECT_CODES, type ObjectCode } from "./object_codes.ts";
import { OWN_CODES, type OwnCode } from "./own_codes.ts";

export type { CodeRow, Level } from "./code_row.ts";

/** A code of the table. */
export type Code = DocumentCode | MeshCode | ObjectCode | OwnCode;

/** The codes, in order. */
export const CODES: Readonly<Record<Code, CodeRow>> = Object.fromEntries(
  Object.entries({ ...MESH_CODES, ...OBJECT_CODES, ...DOCUMENT_CODES, ...OWN_CODES })
    .toSorted(([a], [b]) => a < b ? -1 : 1),
) as Record<Code, CodeRow>;

/** The sentence of a code with its arguments. */
export function sentenceOf(code: Code, args: readonly string[]): string {
  return CODES[code].text.replaceAll(/\{(\d)\}/g, (_, index: string) => args[Number(index)] ?? "");
}
