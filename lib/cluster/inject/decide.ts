/**
 * Decides if a pod gets a proxy, and says why.
 *
 * @module
 */
import { annotationsOf, labelsOf, type Pod } from "./objects.ts";
import { isEmptySelector, type LabelSelector, matchesSelector, selectorText } from "./selector.ts";

/** The label, and formerly the annotation, by which a pod asks for a proxy or refuses it. */
export const INJECT_LABEL = "sidecar.mesh.io/inject";

/** Namespaces whose pods never get a proxy: those of the orchestrator itself. */
export const EXCLUDED_NAMESPACES: readonly string[] = [
  "kube-system",
  "kube-public",
  "kube-node-lease",
  "local-path-storage",
];

/** The settings that decide. */
export interface DecisionRules {
  /** `disabled`: only pods that ask for a proxy get one. */
  readonly policy: "enabled" | "disabled";
  readonly neverInjectSelector: readonly LabelSelector[];
  readonly alwaysInjectSelector: readonly LabelSelector[];
}

/** The rule that decided. */
export type DecisionRule =
  | "host-network"
  | "excluded-namespace"
  | "pod-label"
  | "pod-annotation"
  | "neverInjectSelector"
  | "alwaysInjectSelector"
  | "policy";

/** A decision with its reason. */
export interface InjectionDecision {
  readonly inject: boolean;
  readonly rule: DecisionRule;
  /** A sentence without a stop, such as `the pod uses the network of its node`. */
  readonly reason: string;
}

/**
 * Decides about a pod that a webhook received. The first rule that applies decides: host network,
 * namespace, the pod's own label (or annotation), `neverInjectSelector`, `alwaysInjectSelector`, policy.
 *
 * @param namespace the namespace of the pod
 */
export function decide(pod: Pod, namespace: string, rules: DecisionRules): InjectionDecision {
  if (pod.spec?.hostNetwork === true) {
    return refuse("host-network", "the pod uses the network of its node (hostNetwork)");
  }
  if (EXCLUDED_NAMESPACES.includes(namespace)) {
    return refuse("excluded-namespace", `pods of the namespace ${namespace} never get a proxy`);
  }
  const label = labelsOf(pod)[INJECT_LABEL];
  const annotation = annotationsOf(pod)[INJECT_LABEL];
  const own = label ?? annotation;
  const source = label === undefined ? "pod-annotation" : "pod-label";
  const what = source === "pod-label" ? "label" : "annotation";
  if (own === "true" || own === "false") {
    const reason = `the pod has the ${what} ${INJECT_LABEL}=${own}`;
    return { inject: own === "true", rule: source, reason };
  }
  const labels = labelsOf(pod);
  // An invalid value leaves the decision to the policy.
  if (own === undefined || own === "") {
    const never = matching(rules.neverInjectSelector, labels);
    if (never) return refuse("neverInjectSelector", `neverInjectSelector ${never} selects the pod`);
    const always = matching(rules.alwaysInjectSelector, labels);
    if (always) {
      const reason = `alwaysInjectSelector ${always} selects the pod`;
      return { inject: true, rule: "alwaysInjectSelector", reason };
    }
  }
  const inject = rules.policy === "enabled";
  const invalid = own ? `${INJECT_LABEL}=${own} is neither true nor false, and ` : "";
  return { inject, rule: "policy", reason: `${invalid}the policy of injection is ${rules.policy}` };
}

function refuse(rule: DecisionRule, reason: string): InjectionDecision {
  return { inject: false, rule, reason };
}

/** The text of the first selector that selects; an empty one selects nothing here. */
function matching(
  selectors: readonly LabelSelector[],
  labels: Readonly<Record<string, string>>,
): string | undefined {
  const found = selectors.find((one) => !isEmptySelector(one) && matchesSelector(one, labels));
  return found && selectorText(found);
}
