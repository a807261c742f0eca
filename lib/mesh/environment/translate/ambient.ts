/**
 * Environment variables of ambient mode.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../kit/env/mod.ts";
import type { Features } from "../../translate/mod.ts";

/** Ambient mode; the defaults of other variables depend on it. */
export const PILOT_ENABLE_AMBIENT: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_AMBIENT",
  type: "bool",
  default: false,
  doc: "Enable ambient mode; defaults of other variables depend on it.",
  readers: ["pilot-discovery"],
});

/** Reads the settings of ambient mode; throws `MeshError` for a value that cannot be read. */
export function readAmbient(): Pick<Features, "ambient"> {
  return { ambient: PILOT_ENABLE_AMBIENT.get() };
}
