/**
 * Tables: input tables with their rows, derived tables, indexes with their buckets, feeds, and
 * transactions.
 *
 * @module
 */
export { Bucket } from "./bucket.ts";
export { bytesOf, DerivedTable, ownTable, valueOf } from "./derived.ts";
export { announce, type EntriesOf, indexRow, IndexTable, unwatch } from "./index.ts";
export { Feed } from "./feed.ts";
export { InputTable, isFedRow } from "./input.ts";
export { beginRevision, dropEmpty, putRow, rowsDiffer, transact } from "./transaction.ts";
