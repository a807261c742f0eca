/**
 * Admission of new discovery streams: the rate limit (`PILOT_MAX_REQUESTS_PER_SECOND`), fair
 * shares of addresses and connections, the cooperative scheduler, and refusals with their reasons,
 * log lines and metric.
 *
 * @module
 */
export { addressOf, type Admission, admission } from "./admission.ts";
export { type ClientLabels, clientLabels } from "./client_labels.ts";
export { createFairYielding, type FairYielding } from "./fair_yielding.ts";
export { noteRefusal, reasonOf, Refusal } from "./refusals.ts";
