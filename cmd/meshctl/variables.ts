/**
 * Environment variables of the program: defaults of its flags.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../lib/env/mod.ts";

/** Default of the flag `--meshNamespace`. */
export const MESHCTL_MESHNAMESPACE: EnvVar<string> = declareEnv({
  name: "MESHCTL_MESHNAMESPACE",
  type: "string",
  default: "mesh-system",
  doc: "Default of --meshNamespace.",
  readers: ["meshctl"],
});
