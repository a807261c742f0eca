/**
 * The part of a decision that the orchestrator takes: if one of the webhooks of a configuration is
 * called for a pod.
 *
 * @module
 */
import { type LabelSelector, matchesSelector } from "./selector.ts";

/** The parts of a mutating webhook that select pods. */
export interface WebhookSelectors {
  readonly name: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
}

/** Labels of a pod and of its namespace. */
export interface PodLabels {
  readonly namespace: Readonly<Record<string, string>>;
  readonly pod: Readonly<Record<string, string>>;
}

/** The first webhook that the orchestrator calls for a pod; `undefined` if none is called. */
export function webhookFor<W extends WebhookSelectors>(
  webhooks: readonly W[],
  labels: PodLabels,
): W | undefined {
  return webhooks.find(({ namespaceSelector, objectSelector }) =>
    matchesSelector(namespaceSelector, labels.namespace) &&
    matchesSelector(objectSelector, labels.pod)
  );
}
