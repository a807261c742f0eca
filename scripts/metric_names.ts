/**
 * Conventions of the exposition format for the names of metrics, as `promtool check metrics`
 * applies them: https://prometheus.io/docs/practices/naming.
 *
 * @module
 */
import type { Family } from "./metrics_page.ts";

/** Metrics whose names the interface gives. They do not follow the conventions, and stay. */
export const GIVEN: ReadonlySet<string> = new Set([
  "galley_validation_config_load_error",
  "galley_validation_config_update_error",
  "galley_validation_config_updates",
  "galley_validation_failed",
  "galley_validation_http_error",
  "galley_validation_passed",
  "meshca_server_authentication_failure_count",
  "meshca_server_csr_count",
  "meshca_server_csr_parsing_err_count",
  "meshca_server_csr_sign_err_count",
  "meshca_server_id_extraction_err_count",
  "meshca_server_success_cert_issuance_count",
  "pilot_inbound_updates",
  "pilot_k8s_cfg_events",
  "pilot_k8s_endpoints_with_no_pods",
  "pilot_k8s_proxies_with_no_service_targets",
  "pilot_k8s_reg_events",
  "pilot_push_triggers",
  "pilot_total_rejected_configs",
  "pilot_total_xds_internal_errors",
  "pilot_total_xds_rejects",
  "pilot_xds_expired_nonce",
  "pilot_xds_pushes",
  "pilot_xds_write_timeout",
  "provider_lookup_cluster_failures",
  "xds_cache_evictions",
  "xds_cache_reads",
]);

/** Units that the format does not use, and the unit to use. */
const UNITS: Readonly<Record<string, string>> = {
  milliseconds: "seconds",
  ms: "seconds",
  microseconds: "seconds",
  minutes: "seconds",
  hours: "seconds",
  kilobytes: "bytes",
  kib: "bytes",
  megabytes: "bytes",
  mib: "bytes",
  percent: "ratio",
};

/** One line for each metric that breaks a convention: its name, what is wrong, the remedy. */
export function namingFaults(families: readonly Family[]): string[] {
  return families.flatMap((family) => faultsOf(family).map((fault) => `${family.name}: ${fault}`));
}

function faultsOf({ name, kind, help }: Family): string[] {
  const faults: string[] = [];
  const counts = name.endsWith("_total");
  if (kind === "counter" && !counts) faults.push("a counter ends in _total");
  if (kind !== "counter" && counts) faults.push(`a ${kind} does not end in _total`);
  const part = /_(count|sum|bucket)$/.exec(name)?.[1];
  if (part !== undefined) faults.push(`_${part} is the name of a part of a histogram`);
  if (!/^[a-z][a-z0-9_]*$/.test(name)) faults.push("use lower case, digits and underscores");
  if (help.trim() === "") faults.push("has no help text");
  for (const word of name.split("_")) {
    const unit = Object.hasOwn(UNITS, word) ? UNITS[word] : undefined;
    if (unit !== undefined) faults.push(`use ${unit} in place of ${word}`);
  }
  return faults;
}
