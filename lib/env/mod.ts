/**
 * Environment variables as typed declarations. Each room declares the variables it reads; this
 * room holds the mechanism, the table of them all with those that are known and do not act, and the
 * check at start.
 *
 * @module
 */
export { declareEnv, type EnvDeclaration, type EnvVar } from "./declare.ts";
export {
  declareIdleEnv,
  type IdleEnv,
  idleEnv,
  type IdleRow,
  type IdleState,
  type IdleTheme,
  warnIdleEnv,
} from "./idle.ts";
export { IDLE_THEMES } from "./known/mod.ts";
export { type EnvSource, envText, envTexts, useEnvironment } from "./source.ts";
export {
  declaredEnv,
  defaultInForce,
  type DefaultWhen,
  type EnvDescription,
  type EnvState,
  type ListedEnv,
  listEnv,
  validateEnv,
} from "./table.ts";
export {
  boundsOf,
  choicesOf,
  type EnvBounds,
  type EnvRange,
  type EnvType,
  type EnvValue,
  formOf,
} from "./value.ts";
