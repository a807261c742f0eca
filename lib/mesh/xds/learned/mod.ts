/**
 * Names that proxies of a workload class asked for on demand, remembered for further proxies of the class.
 *
 * @module
 */
export {
  type Asking,
  type LearnedName,
  type LearnedOptions,
  type LearnedReport,
  LearnedScopes,
} from "./scopes.ts";
