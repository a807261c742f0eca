/**
 * DestinationRules: the host exists, and subsets select endpoints.
 *
 * @module
 */
import { fullHost, hasLabels, isWildcard } from "../../../mesh/model/mod.ts";
import type { Analyzer } from "../analyzer.ts";
import { coveredByService, hostHint, isAssumed } from "../references.ts";

/** A rule for a host that no service has, or with a subset without endpoints. */
export const RULE_SUBSETS: Analyzer<"DestinationRule"> = {
  name: "destinationrule.SubsetSelectPodAnalyzer",
  kinds: ["DestinationRule"],
  codes: ["MSH0173", "MSH0174"],
  *analyze(context, { meta, spec }) {
    const { read, mesh } = context;
    const { namespace } = meta;
    const host = fullHost(spec.host, namespace, mesh.domain);
    const service = isWildcard(host)
      ? undefined
      : read.get(mesh.services.resolve, { namespace, host });
    if (service === undefined) {
      const isKnown = isAssumed(context, spec.host, namespace) || coveredByService(context, host) ||
        isWildcard(host) && read.any(mesh.indexes.hostsByPattern, host);
      if (isKnown) return;
      const hint = hostHint(context, spec.host, namespace);
      const remedy = hint === "" ? undefined : `${hint}Correct spec.host, or define the service.`;
      yield { code: "MSH0174", args: [spec.host], path: "spec.host", remedy };
      return;
    }
    const endpoints = read.get(mesh.services.endpoints, service);
    if (endpoints.length === 0) return;
    for (const [at, { name, labels }] of spec.subsets.entries()) {
      if (endpoints.some((endpoint) => hasLabels(endpoint.labels, labels))) continue;
      yield { code: "MSH0173", args: [name], path: `spec.subsets[${at}].labels` };
    }
  },
};
