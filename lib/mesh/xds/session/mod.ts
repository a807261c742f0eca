/**
 * Sessions: one for each discovery stream. Accepting streams (`accept.ts`), reading requests
 * (`session.ts`), the reaction to ACK and NACK (`acknowledgement.ts`), publications to the
 * affected streams (`registry.ts`, `publication.ts`), the status of connected proxies
 * (`status.ts`), and events for observers such as metrics and receipts (`observe.ts`).
 *
 * @module
 */
export { serve, type StreamAcceptor } from "./accept.ts";
export { noteSettled } from "./acknowledgement.ts";
export { enqueue, isProxy, priorityOf, type ServerContext, type Session } from "./context.ts";
export {
  type AnswerEvent,
  type Concern,
  joined,
  type ObservedStream,
  type PublishedEvent,
  type RejectedEvent,
  type SentEvent,
  type SettledEvent,
  type Subscriber,
  type WithheldEvent,
  type XdsObserver,
} from "./observe.ts";
export { publicationNotifier } from "./publication.ts";
export { registry } from "./registry.ts";
export { notice, takeSnapshots } from "./session.ts";
export { type SessionInfo, sessionInfo, type SyncState, type TypeStatus } from "./status.ts";
