/**
 * Keys of tables: typed for those who read and write them, text inside.
 *
 * @module
 */
export type { KeyCodec } from "./codec.ts";
export { type Conversion, converted, flag, integer, list, oneOf, optional, text } from "./parts.ts";
export { type FieldCodecs, keyOf, pathOf } from "./record.ts";
export { parseRowRef, type RowRef, rowRef, shorten, showRow } from "./row.ts";
