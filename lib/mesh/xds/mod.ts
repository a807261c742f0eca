/**
 * Serving: what does this proxy hold, what should it hold, send the difference in a safe order.
 * Knows resources by type, name, version and bytes, and nothing of what is in them.
 *
 * @module
 */
export { createXdsServer, type XdsServer } from "./server.ts";
export type { XdsLimits } from "./stream/limits.ts";
export type { XdsOptions } from "./stream/options.ts";
export type { QueryCaller } from "./query/mod.ts";
export type {
  AnswerEvent,
  Concern,
  ObservedStream,
  PublishedEvent,
  RejectedEvent,
  SentEvent,
  SessionInfo,
  SettledEvent,
  StateEvent,
  Subscriber,
  SyncState,
  TypeStatus,
  WithheldEvent,
  XdsObserver,
} from "./stream/mod.ts";
export {
  type LearnedName,
  type LearnedOptions,
  type LearnedReport,
  LearnedScopes,
} from "./learned/mod.ts";
export type { Culprit, Quarantined } from "./quarantine/mod.ts";
export type { Nack } from "./subscription/mod.ts";
export {
  derivedRequestRate,
  derivedThrottle,
  MAX_RECEIVE,
  MAX_REQUESTS_PER_SECOND,
  MAX_STREAMS,
  ON_DEMAND_RETENTION,
  PUSH_THROTTLE,
} from "./variables.ts";
