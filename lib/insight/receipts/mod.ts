/**
 * Receipts: for each edit of a configuration object, the changed resources, the affected proxies
 * and their answers.
 *
 * @module
 */
export { editedObject } from "./edited.ts";
export { createReceipts, type Receipts } from "./receipts.ts";
export {
  type Edited,
  type Outcome,
  OUTCOMES,
  type Receipt,
  type ReceiptOptions,
  type StreamOutcome,
} from "./types.ts";
