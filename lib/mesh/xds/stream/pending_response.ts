/**
 * A response that was planned.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import type { Origin, Subscription } from "../subscription/mod.ts";

/** Resources of one type that are sent together; in slices if they are large. */
export interface PendingResponse {
  readonly subscription: Subscription;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
  /** Revision of the client's state before it. */
  readonly from: number;
  /** Origin of its resources; `undefined` if the client had them all. */
  readonly origin?: Origin;
  /** Sent again, to find the reason of a rejection. */
  readonly probe?: boolean;
}
