/**
 * Webhooks of injection: they do not overlap, and their Services exist.
 *
 * @module
 */
import { type DocumentAnalyzer, type DocumentFinding, type DocumentSet } from "../document_set.ts";
import type { Labels } from "../workload_indexes.ts";
import { selectorMatches } from "../label_selector.ts";
import { listAt, type PlainDocument, textAt, valueAt } from "../plain.ts";

interface Hook {
  readonly on: PlainDocument;
  readonly at: number;
  readonly name: string;
  readonly value: unknown;
}

/** Injection webhooks that select the same pods, or whose Service is missing. */
export const WEBHOOKS: DocumentAnalyzer = {
  name: "webhook.Analyzer",
  kinds: ["MutatingWebhookConfiguration", "Service"],
  codes: ["MSH0139"],
  *analyze(set) {
    const hooks = set.of("MutatingWebhookConfiguration").flatMap((on) =>
      listAt(on.value, "webhooks").map((value, at): Hook => ({
        on,
        at,
        name: `${on.name}/${textAt(value, "name")}`,
        value,
      }))
    ).filter(({ value }) => textAt(value, "name").endsWith("mesh.io"));
    yield* overlaps(hooks);
    yield* missingServices(set, hooks);
  },
};

function* overlaps(hooks: readonly Hook[]): Iterable<DocumentFinding> {
  const others = new Map<Hook, Set<string>>();
  for (const [namespace, object] of situations(hooks)) {
    const matching = hooks.filter(({ value }) =>
      selectorMatches(valueAt(value, "namespaceSelector"), namespace) &&
      selectorMatches(valueAt(value, "objectSelector"), object)
    );
    for (const one of matching) {
      for (const other of matching) {
        if (one === other) continue;
        others.set(one, (others.get(one) ?? new Set()).add(other.name));
      }
    }
  }
  for (const [{ on, at }, names] of others) {
    const text = `The webhook selects the same pods as ${[...names].sort().join(", ")}, ` +
      `so that the proxy may be injected twice`;
    yield { on, code: "MSH0139", args: [text], path: `webhooks[${at}]` };
  }
}

/** The labels of a namespace and a pod that decide about injection, in all combinations. */
function* situations(hooks: readonly Hook[]): Iterable<readonly [Labels, Labels]> {
  const revisions = [
    ...new Set([
      ...hooks.flatMap(({ on }) => on.labels["mesh.io/rev"] ?? []),
      ...hooks.flatMap(({ value }) => [
        ...revisionsOf(valueAt(value, "namespaceSelector")),
        ...revisionsOf(valueAt(value, "objectSelector")),
      ]),
    ]),
  ];
  const tags = hooks.flatMap(({ on }) => on.labels["mesh.io/tag"] ?? []);
  const revs: Labels[] = [{}, ...[...revisions, ...tags].map((rev) => ({ "mesh.io/rev": rev }))];
  const injections: Labels[] = [{}, { "mesh-injection": "enabled" }, {
    "mesh-injection": "disabled",
  }];
  const asked: Labels[] = [{}, { "sidecar.mesh.io/inject": "true" }, {
    "sidecar.mesh.io/inject": "false",
  }];
  for (const ofNamespace of revs) {
    for (const injection of injections) {
      for (const ofPod of revs) {
        for (const inject of asked) {
          yield [{ ...ofNamespace, ...injection }, { ...ofPod, ...inject }];
        }
      }
    }
  }
}

/** The revisions that a selector names. */
function revisionsOf(selector: unknown): string[] {
  const equal = textAt(selector, "matchLabels", "mesh.io/rev");
  return [
    ...(equal === "" ? [] : [equal]),
    ...listAt(selector, "matchExpressions")
      .filter((one) => textAt(one, "key") === "mesh.io/rev")
      .flatMap((one) => listAt(one, "values").filter((value) => typeof value === "string")),
  ];
}

function* missingServices(set: DocumentSet, hooks: readonly Hook[]): Iterable<DocumentFinding> {
  for (const { on, at, value } of hooks) {
    const [namespace, name] = ["namespace", "name"]
      .map((field) => textAt(value, "clientConfig", "service", field));
    if (name === "") continue;
    const exists = set.of("Service", "").some((service) =>
      service.name === name && service.namespace === namespace
    );
    if (exists) continue;
    const text = `The Service ${namespace}/${name} of the webhook does not exist`;
    const path = `webhooks[${at}].clientConfig.service`;
    yield { on, code: "MSH0139", args: [text], path };
  }
}
