/**
 * The Gateway API: what its objects mean, as pure functions.
 *
 * @module
 */
export * from "./binding/mod.ts";
export * from "./conditions/mod.ts";
export * from "./conversion/mod.ts";
