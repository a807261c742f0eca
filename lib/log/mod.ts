/**
 * Logging by scopes. A room asks for its scope once, at the top of a module; programs choose
 * levels, form and targets with {@link configureLogging}. Until they do, nothing is written.
 *
 * @module
 */
export { klog, type Logger, onceLogger, scope } from "./scope.ts";
export { intervalLogger, type IntervalOptions } from "./interval.ts";
export { configureLogging, type LoggingOptions, reopenLogging } from "./configure.ts";
export { changeScope, type ScopeState, scopeState, scopeStates } from "./known.ts";
export type { ScopeSettings } from "./settings.ts";
export { type Level, LEVELS } from "./level.ts";
export { SCOPES } from "./scopes.ts";
