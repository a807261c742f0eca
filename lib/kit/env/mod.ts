/**
 * Environment variables as typed declarations. Each room declares the variables it reads. This room
 * has the mechanism, the table of all variables (also those without effect), and the check at start.
 *
 * @module
 */
export {
  declareEnv,
  declareSwitch,
  type EnvDeclaration,
  type EnvVar,
  type SwitchDeclaration,
} from "./declare.ts";
export {
  declareIneffectiveVariables,
  type IneffectiveGroup,
  type IneffectiveRow,
  type IneffectiveState,
  type IneffectiveVariable,
  ineffectiveVariables,
  warnIneffectiveVariables,
} from "./ineffective.ts";
export { INEFFECTIVE_VARIABLES } from "./known/mod.ts";
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
