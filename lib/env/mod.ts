/**
 * Environment variables as typed declarations. Each room declares the variables it reads; this
 * room holds the mechanism, the list of all declarations, and the check at start.
 *
 * @module
 */
export {
  declaredEnv,
  declareEnv,
  type EnvDeclaration,
  type EnvDescription,
  type EnvType,
  type EnvVar,
  validateEnv,
} from "./declare.ts";
export { type EnvSource, envText, useEnvironment } from "./source.ts";
