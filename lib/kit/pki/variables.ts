/**
 * The environment variable that restricts TLS.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../env/mod.ts";

/** Restriction of TLS in all programs and proxies. */
export const COMPLIANCE_POLICY: EnvVar<string | undefined> = declareEnv({
  name: "COMPLIANCE_POLICY",
  type: "string",
  choices: ["fips-140-2"],
  doc:
    "Policy that restricts TLS, whatever other settings say; empty: none. `fips-140-2`: connections of daemon and agent use cipher suites of AES with GCM; proxies use TLS 1.2 with these suites and the curve P-256.",
  readers: ["pilot-discovery", "pilot-agent"],
});
