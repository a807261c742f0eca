/**
 * Waiting: fair queues, and the rate of new connections from each address.
 *
 * @module
 */
export { type ArrivalRate, type Arrivals, createArrivals } from "./arrivals.ts";
export { type FairLine, fairLine, type LineMember } from "./fair_line.ts";
export { type FairSet, fairSet } from "./fair_set.ts";
