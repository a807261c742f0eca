/**
 * MeshOperator documents: profiles, files and settings merged into one, checked, and turned into the
 * objects of an installation. Pure.
 *
 * @module
 */
export type { ComponentPlan, InstallPlan, OperatorInput } from "./api.ts";
export { planInstallation } from "./plan.ts";
export { type Origin, type Problem, problemText } from "./problems.ts";
export { profileNames } from "./profiles.ts";
export { COMPATIBILITY_VERSIONS } from "./compatibility.ts";
export { type InjectionSettings, injectionSettings } from "./injection.ts";
export { LABELS } from "./labels.ts";
