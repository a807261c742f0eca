/**
 * Waiting: sleeping until a time or a signal (`sleep.ts`), growing pauses between attempts
 * (`back_off.ts`), limits of a rate (`token_bucket.ts`, by address in `arrivals.ts`), and queues in
 * which all sources have the same share (`fair_set.ts`; of bounded weight: `fair_line.ts`). Long work
 * between other work: `turns.ts`.
 *
 * @module
 */
export { type ArrivalRate, type Arrivals, createArrivals } from "./arrivals.ts";
export { around, type Backoff, jittered, pauseAfter } from "./back_off.ts";
export { type FairLine, fairLine, type LineMember } from "./fair_line.ts";
export { type FairSet, fairSet } from "./fair_set.ts";
export { endsWithin, sleep } from "./sleep.ts";
export { TokenBucket, type TokenRate } from "./token_bucket.ts";
export { inTurns, type TurnOptions } from "./turns.ts";
