/**
 * DestinationRules: the host exists, and subsets select endpoints.
 *
 * @module
 */
import { fullHost, hasLabels, isWildcard } from "../../../mesh/model/mod.ts";
import type { DestinationRule } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import type { Finding } from "../message.ts";
import { coveredByService, hostHint, isAssumed } from "../references.ts";
import { isComplete, type Labels, selectsSome } from "../workload_indexes.ts";

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
      if (isKnown) return yield* withoutPods(context, spec);
      const hint = hostHint(context, spec.host, namespace);
      const remedy = hint === "" ? undefined : `${hint}Correct spec.host, or define the service.`;
      yield { code: "MSH0174", args: [spec.host], path: "spec.host", remedy };
      return;
    }
    const endpoints = read.get(mesh.services.endpoints, service);
    if (endpoints.length === 0) return;
    yield* emptySubsets(
      spec,
      (wanted) => endpoints.some(({ labels }) => hasLabels(labels, wanted)),
    );
  },
};

/** The subsets whose labels no pod has; only the Services of manifests are known here, not their endpoints. */
function withoutPods(context: Context, spec: DestinationRule): Iterable<Finding> {
  if (!isComplete(context)) return [];
  return emptySubsets(spec, (labels) => selectsSome(context, "", withoutPlace(labels)));
}

/** Labels without those of the place of a node, which its pods have only when they run. */
function withoutPlace(labels: Labels): Labels {
  return Object.fromEntries(
    Object.entries(labels).filter(([name]) => !/^(topology|failure-domain)\./.test(name)),
  );
}

function* emptySubsets(
  { subsets }: DestinationRule,
  isServed: (labels: Labels) => boolean,
): Iterable<Finding> {
  for (const [at, { name, labels }] of subsets.entries()) {
    if (isServed(labels)) continue;
    yield { code: "MSH0173", args: [name], path: `spec.subsets[${at}].labels` };
  }
}
