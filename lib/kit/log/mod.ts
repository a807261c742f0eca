/**
 * Logging by scopes. A module opens its scope once, at the top; programs set levels, format and
 * targets with {@link configureLogging}. Before that, nothing is written.
 *
 * @module
 */
export { klog, type Logger, onceLogger, scope } from "./scope.ts";
export { intervalLogger, type IntervalOptions } from "./interval.ts";
export { configureLogging, type LoggingOptions, reopenLogging } from "./configure.ts";
export { withLogging } from "./with_logging.ts";
export { changeScope, type ScopeState, scopeState, scopeStates } from "./known.ts";
export type { ScopeSettings } from "./settings.ts";
export { type Level, LEVELS } from "./level.ts";
export { SCOPES } from "./scopes.ts";
