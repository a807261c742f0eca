/**
 * Receipts: for every edit of a configuration object, which resources it changed, which proxies
 * those concern, and what each of them said.
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
