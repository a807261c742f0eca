/**
 * The push queue: which of the streams with pending changes is sent to next. Priorities
 * (`priority_queue.ts`), the limits of what is under way (`push_queue.ts`), slow clients
 * (`contention.ts`), and resources that are computed before they are needed (`prepare.ts`). It knows
 * members, and nothing of what is sent.
 *
 * @module
 */
export { preparation } from "./prepare.ts";
export type { Priority } from "./priority_queue.ts";
export { pushQueue } from "./push_queue.ts";
export type { PushQueue } from "./push_queue_options.ts";
