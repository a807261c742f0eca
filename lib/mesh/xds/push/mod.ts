/**
 * Pushes: the push order of one push and make before break (`plan.ts`), the push queue with its
 * priorities and limits (`push_queue.ts`), sending (`push.ts`), the timers of removals and of new
 * clusters that are warming (`push_timers.ts`), and slow clients (`contention.ts`).
 *
 * @module
 */
export type { PendingResponse, PushState } from "./plan.ts";
export { preparation } from "./prepare.ts";
export type { Priority } from "./priority_queue.ts";
export { step } from "./push.ts";
export { pushQueue } from "./push_queue.ts";
export type { PushQueue } from "./push_queue_options.ts";
export { armDrain } from "./push_timers.ts";
