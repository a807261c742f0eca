/**
 * Streams: the state of each (`session.ts`), accepting one (`accept.ts`), its requests, publications
 * and end (`events.ts`), ACK and NACK (`acknowledgement.ts`), the order of a push and make before break
 * (`plan.ts`), sending (`push.ts`), the timers of removals and of new clusters that are warming
 * (`push_timers.ts`), publications to the affected streams (`registry.ts`, `publication.ts`), the
 * status of connected proxies (`status.ts`), and events for observers such as metrics and receipts
 * (`observe.ts`).
 *
 * What a stream does about rejected resources: the search for the rejected one of a response
 * (`culprit_search.ts`), what is withheld (`withheld.ts`), retries (`retries.ts`), who contradicts
 * (`opinions.ts`).
 *
 * @module
 */
export { serve, type StreamAcceptor } from "./accept.ts";
export { isProxy, priorityOf, type ServerContext, type Session } from "./session.ts";
export {
  type AnswerEvent,
  type Concern,
  joined,
  type ObservedStream,
  type PublishedEvent,
  type RejectedEvent,
  type SentEvent,
  type SettledEvent,
  type StateEvent,
  type Subscriber,
  type WithheldEvent,
  type XdsObserver,
} from "./observe.ts";
export { takeReport } from "./reports.ts";
export { publicationNotifier } from "./publication.ts";
export { registry } from "./registry.ts";
export { notice, takeSnapshots } from "./events.ts";
export { type SessionInfo, sessionInfo, type SyncState, type TypeStatus } from "./status.ts";
export { withOpinions } from "./opinions.ts";
export { limitsOf, type XdsLimits } from "./limits.ts";
export type { XdsOptions } from "./options.ts";
export { step } from "./push.ts";
export { type LaterTimer, type Retries, retries } from "./retries.ts";
