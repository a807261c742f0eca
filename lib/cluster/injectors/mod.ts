/**
 * Injectors as operators see them: which of them put the proxy into a pod, and why; and injection by
 * hand with their configuration.
 *
 * @module
 */
export { checkInject } from "./check_inject.ts";
export { type InjectorVerdict, injectorVerdict, type WebhookConfig } from "./injectors.ts";
export { injectorList } from "./injector_list.ts";
export { orchInject } from "./orch_inject.ts";
export { isInjector } from "./injectors.ts";
