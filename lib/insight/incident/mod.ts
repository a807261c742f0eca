/**
 * Incidents: a request that failed, as somebody saw it, and the object, edit and time behind it.
 *
 * @module
 */
export { accessLogLine } from "./access_log.ts";
export { readEvidence } from "./evidence.ts";
export type { Evidence, Seen } from "./types.ts";
export { askIncident, readGiven } from "./ask.ts";
export { type Acceptance, type DecidingObject, type Edit, type Incident } from "./incident.ts";
export { flagMeanings } from "./flags.ts";
export { renderIncident } from "./render.ts";
