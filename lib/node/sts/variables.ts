/**
 * Environment variables of the token service.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

/** Address of the issuer. */
export const MESH_TOKEN_EXCHANGE_URL: EnvVar<string | undefined> = declareEnv({
  name: "MESH_TOKEN_EXCHANGE_URL",
  type: "string",
  doc:
    "Address at which the token service (`--stsPort`) exchanges tokens by RFC 8693: `https`, or `http` on loopback.",
  readers: ["pilot-agent"],
});

/** Project of a cloud platform. */
export const CLOUDPLAT_QUOTA_PROJECT: EnvVar<string | undefined> = declareEnv({
  name: "CLOUDPLAT_QUOTA_PROJECT",
  type: "string",
  doc:
    "Project whose quota a cloud platform charges for exchanges of tokens (`--stsPort`), which are the only requests to its interfaces.",
  readers: ["pilot-agent"],
});
