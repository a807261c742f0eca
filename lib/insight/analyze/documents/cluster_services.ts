/**
 * Services that differ between the clusters of a mesh.
 *
 * @module
 */
import type { DocumentAnalyzer, DocumentSet } from "../document_set.ts";
import { listAt, type PlainDocument, textAt } from "../plain.ts";

/** A Service of a cluster. */
interface Located {
  readonly cluster: string;
  readonly service: PlainDocument;
}

/** Properties that the Services of one name share in all clusters, as texts. */
const PROPERTIES: readonly ((service: PlainDocument) => string)[] = [isHeadless, typeOf, portsText];

/** Services of one name that differ between clusters: in type or ports, or headless in some of them. */
export const CLUSTER_SERVICES: DocumentAnalyzer = {
  name: "services.MultiClusterServiceAnalyzer",
  kinds: ["Service"],
  codes: ["MSH0170"],
  *analyze(set) {
    for (const located of sharedServices(set)) {
      const reasons = PROPERTIES.flatMap((textOf) => differences(located, textOf));
      if (reasons.length === 0) continue;
      const on = located[0]!.service;
      const args = [on.name, on.namespace, namesOf(located), reasons.join("; ")];
      yield { on, code: "MSH0170", args, path: "spec" };
    }
  },
};

/** Services that several clusters have, each with the clusters that have it. */
function sharedServices({ clusters }: DocumentSet): Located[][] {
  const all = clusters.flatMap(({ name: cluster, documents }) =>
    documents.filter(({ kind, group, namespace, name }) =>
      kind === "Service" && group === "" &&
      // Each cluster has this one for its own API server.
      !(namespace === "default" && name === "kubernetes")
    )
      .map((service): Located => ({ cluster, service }))
  );
  const byName = Map.groupBy(
    all,
    ({ service: { namespace, name } }) => JSON.stringify([namespace, name]),
  );
  return [...byName.values()].filter((located) => located.length > 1);
}

/** The properties that clusters do not agree on; none where they do. */
function differences(
  located: readonly Located[],
  textOf: (service: PlainDocument) => string,
): string[] {
  const byText = Map.groupBy(located, ({ service }) => textOf(service));
  if (byText.size < 2) return [];
  return [...byText].map(([text, some]) => `${text} in ${namesOf(some)}`);
}

function namesOf(located: readonly Located[]): string {
  return located.map(({ cluster }) => cluster).join(", ");
}

function isHeadless({ value }: PlainDocument): string {
  return textAt(value, "spec", "clusterIP") === "None" ? "headless" : "not headless";
}

function typeOf({ value }: PlainDocument): string {
  return `type ${textAt(value, "spec", "type") || "ClusterIP"}`;
}

/** The ports with all their fields. */
function portsText({ value }: PlainDocument): string {
  const ports = listAt(value, "spec", "ports").map((port) => {
    const own = textAt(port, "port");
    const more = [
      textAt(port, "name"),
      textAt(port, "appProtocol"),
      `to ${textAt(port, "targetPort") || own}`,
      ...textAt(port, "nodePort") === "" ? [] : [`at node port ${textAt(port, "nodePort")}`],
    ].filter((text) => text !== "");
    return `${own}/${textAt(port, "protocol") || "TCP"} ${more.join(" ")}`;
  });
  return ports.length === 0 ? "no ports" : `ports ${ports.sort().join(", ")}`;
}
