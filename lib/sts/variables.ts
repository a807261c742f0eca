/**
 * Environment variables of the token service.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../env/mod.ts";

/** Address of the issuer. */
export const MESH_TOKEN_EXCHANGE_URL: EnvVar<string | undefined> = declareEnv({
  name: "MESH_TOKEN_EXCHANGE_URL",
  type: "string",
  doc:
    "Address at which the token service (`--stsPort`) exchanges tokens by RFC 8693: `https`, or `http` on loopback.",
  readers: ["pilot-agent"],
});
