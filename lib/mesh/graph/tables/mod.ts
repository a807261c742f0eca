/**
 * Tables: input tables with their rows, derived tables, indexes with their buckets, and
 * transactions.
 *
 * @module
 */
export { Bucket } from "./bucket.ts";
export { bytesOf, DerivedTable, ownTable, valueOf } from "./derived.ts";
export { announce, type EntriesOf, indexRow, IndexTable, unwatch } from "./index.ts";
export { InputTable } from "./input.ts";
export { dropEmpty, transact } from "./transaction.ts";
