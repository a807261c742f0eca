/**
 * Serving: what does this proxy hold, what should it hold, send the difference in a safe order.
 * Knows resources by type, name, version and bytes, and nothing of what is in them.
 *
 * @module
 */
export { createXdsServer, type XdsServer } from "./server.ts";
export { type XdsLimits, type XdsOptions } from "./options.ts";
export {
  type AnswerEvent,
  type Concern,
  type ObservedStream,
  type PublishedEvent,
  type RejectedEvent,
  type SentEvent,
  type SettledEvent,
  type Subscriber,
  type WithheldEvent,
  type XdsObserver,
} from "./session/observe.ts";
export { type SessionInfo, type SyncState, type TypeStatus } from "./session/status.ts";
export { type Culprit, type Quarantined } from "./quarantine/types.ts";
export { type Nack } from "./subscription/state.ts";
export {
  derivedRequestRate,
  derivedThrottle,
  MAX_RECEIVE,
  MAX_REQUESTS_PER_SECOND,
  MAX_STREAMS,
  PUSH_THROTTLE,
} from "./variables.ts";
