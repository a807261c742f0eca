/**
 * Metrics of the certificate authority. Names are those that dashboards of the field expect.
 *
 * @module
 */
import { type Counter, counter, type Gauge, gauge } from "../../kit/metrics/mod.ts";
import type { AuthoritySource } from "./authority.ts";

/** Requests. */
export const csrs: Counter = counter({
  name: "meshca_server_csr_count",
  help: "Requests for certificates.",
});

/** Refused for the caller. */
export const authenticationFailures: Counter = counter({
  name: "meshca_server_authentication_failure_count",
  help: "Requests for certificates whose caller was not authenticated.",
});

/** Refused for the CSR. */
export const csrParsingErrors: Counter = counter({
  name: "meshca_server_csr_parsing_err_count",
  help: "Requests for certificates whose CSR was malformed or had a key that is refused.",
});

/** Callers without a usable identity. */
export const identityErrors: Counter = counter({
  name: "meshca_server_id_extraction_err_count",
  help: "Requests for certificates of callers that have no identity of a workload.",
});

/** Failed in signing. */
export const signingErrors: Counter = counter({
  name: "meshca_server_csr_sign_err_count",
  help: "Requests for certificates that failed when the certificate was signed.",
});

/** Refused for their number. */
export const limited: Counter = counter({
  name: "mesh_ca_rate_limited_total",
  help: "Requests for certificates beyond the limit of their identity, or of all.",
});

export const issued: Counter = counter({
  name: "meshca_server_success_cert_issuance_count",
  help: "Certificates issued.",
});

export const rootChangePhase: Gauge = gauge({
  name: "mesh_ca_root_change",
  help: "1 for the phase of a change of roots: stable, announced, overdue or switched.",
  labels: ["phase"],
});

/** Registers the gauges of expiry, which are computed when they are scraped. */
export function observeAuthority(source: AuthoritySource, clock: () => number): void {
  const ends = {
    root_cert: () => source.current().root.notAfter,
    cert_chain: () =>
      Math.min(
        ...[source.current().issuer.certificate, ...source.current().intermediates]
          .map(({ notAfter }) => notAfter),
      ),
  };
  for (const [name, end] of Object.entries(ends)) {
    const thing = name === "root_cert" ? "root certificate" : "chain of the signing certificate";
    gauge({
      name: `meshca_server_${name}_expiry_timestamp`,
      help: `Time at which the ${thing} expires, in seconds since 1970.`,
      collect: () => end() / 1000,
    });
    gauge({
      name: `meshca_server_${name}_expiry_seconds`,
      help: `Seconds until the ${thing} expires; negative when it has expired.`,
      collect: () => (end() - clock()) / 1000,
    });
  }
}
