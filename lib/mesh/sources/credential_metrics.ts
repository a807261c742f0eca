/**
 * Metrics of credentials.
 *
 * @module
 */
import { type Counter, counter } from "../../kit/metrics/mod.ts";

/** Credentials that could not be used. */
export const credentialFailures: Counter = counter({
  name: "pilot_sds_certificate_errors_total",
  help: "Credentials that could not be used.",
});
