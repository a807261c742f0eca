/**
 * Services that differ between the clusters of a mesh.
 *
 * @module
 */
import {
  type DocumentAnalyzer,
  type DocumentFinding,
  type DocumentSet,
  isSystemNamespace,
} from "../document_set.ts";
import { listAt, type PlainDocument, textAt } from "../plain.ts";

/** A Service of a cluster. */
interface Located {
  readonly cluster: string;
  readonly service: PlainDocument;
}

/** Services of one name whose ports differ between clusters, or that are headless in some of them. */
export const CLUSTER_SERVICES: DocumentAnalyzer = {
  name: "services.MultiClusterServiceAnalyzer",
  kinds: ["Service"],
  codes: ["MSH0170"],
  *analyze(set) {
    for (const located of sharedServices(set)) {
      yield* differences(located, isHeadless, "spec.clusterIP");
      yield* differences(located, portsText, "spec.ports");
    }
  },
};

/** Services that several clusters have, each with the clusters that have it. */
function sharedServices({ clusters }: DocumentSet): Located[][] {
  const all = clusters.flatMap(({ name: cluster, documents }) =>
    documents.filter(({ kind, group, namespace, name }) =>
      kind === "Service" && group === "" && !isSystemNamespace(namespace) &&
      !(namespace === "default" && name === "kubernetes")
    ).map((service): Located => ({ cluster, service }))
  );
  const byName = Map.groupBy(
    all,
    ({ service: { namespace, name } }) => JSON.stringify([namespace, name]),
  );
  return [...byName.values()].filter((located) => located.length > 1);
}

function* differences(
  located: readonly Located[],
  textOf: (service: PlainDocument) => string,
  path: string,
): Iterable<DocumentFinding> {
  const byText = Map.groupBy(located, ({ service }) => textOf(service));
  if (byText.size < 2) return;
  const on = located[0]!.service;
  const error = [...byText].map(([text, some]) => `${text} in ${namesOf(some)}`).join("; ");
  const args = [on.name, on.namespace, namesOf(located), error];
  yield { on, code: "MSH0170", args, path };
}

function namesOf(located: readonly Located[]): string {
  return located.map(({ cluster }) => cluster).join(", ");
}

function isHeadless({ value }: PlainDocument): string {
  return textAt(value, "spec", "clusterIP") === "None" ? "headless" : "not headless";
}

/** The ports without target ports, which belong to the pods of each cluster. */
function portsText({ value }: PlainDocument): string {
  const ports = listAt(value, "spec", "ports").map((port) => {
    const name = textAt(port, "name");
    const protocol = textAt(port, "appProtocol") || textAt(port, "protocol") || "TCP";
    return `${textAt(port, "port")}/${protocol}${name === "" ? "" : ` ${name}`}`;
  });
  return ports.length === 0 ? "no ports" : `ports ${ports.sort().join(", ")}`;
}
