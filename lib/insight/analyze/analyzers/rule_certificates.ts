/**
 * TLS of DestinationRules: the certificate of the server is verified.
 *
 * @module
 */
import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode,
  type DestinationRule,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Analyzer } from "../analyzer.ts";

/** A rule that originates TLS without a CA certificate. */
export const RULE_CERTIFICATES: Analyzer<"DestinationRule"> = {
  name: "destinationrule.CaCertificateAnalyzer",
  kinds: ["DestinationRule"],
  codes: ["MSH0128", "MSH0129"],
  *analyze(_context, { meta, spec }) {
    const { trafficPolicy, host } = spec;
    const named = [meta.name, meta.namespace];
    const mode = unverified(spec, trafficPolicy?.tls);
    if (mode !== undefined) {
      yield { code: "MSH0128", args: [...named, mode, host], path: "spec.trafficPolicy.tls" };
    }
    for (const [at, { port, tls }] of (trafficPolicy?.portLevelSettings ?? []).entries()) {
      const ofPort = unverified(spec, tls);
      if (ofPort === undefined) continue;
      const args = [...named, ofPort, host, `${port?.number ?? 0}`];
      yield { code: "MSH0129", args, path: `spec.trafficPolicy.portLevelSettings[${at}].tls` };
    }
  },
};

/** The mode of TLS without verification; `undefined` when the server is verified. */
function unverified(
  { workloadSelector }: DestinationRule,
  tls: ClientTLSSettings | undefined,
): string | undefined {
  const { mode, caCertificates, credentialName } = tls ?? {};
  if (
    mode !== ClientTLSSettings_TLSmode.SIMPLE && mode !== ClientTLSSettings_TLSmode.MUTUAL
  ) return undefined;
  if (caCertificates !== "") return undefined;
  // A credential is used only by rules that select workloads.
  if (credentialName !== "" && workloadSelector !== undefined) return undefined;
  return ClientTLSSettings_TLSmode[mode];
}
