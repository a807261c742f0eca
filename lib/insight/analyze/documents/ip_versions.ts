/**
 * Services with addresses of both versions of IP, and a daemon that gives proxies one of them.
 *
 * @module
 */
import { parseBoolean } from "../../../kit/base/mod.ts";
import { objectKey } from "../../../mesh/model/mod.ts";
import type { DocumentAnalyzer, PodShape } from "../document_set.ts";
import { listAt, type PlainDocument, textAt } from "../plain.ts";
import { isDaemon } from "./mesh_objects.ts";

/** The variable of the daemon that lets proxies use both versions. */
const VARIABLE = "MESH_DUAL_STACK";

/** Services with two versions of IP, and daemons without the variable. */
export const IP_VERSIONS: DocumentAnalyzer = {
  name: "mesh.IPVersionsAnalyzer",
  kinds: ["Deployment", "Service"],
  codes: ["MSH1010"],
  *analyze(set) {
    const services = set.of("Service").filter(hasBothVersions).map((one) => objectKey(one)).sort();
    const [first] = services;
    if (first === undefined) return;
    for (const pod of set.pods()) {
      const { document } = pod;
      if (document.kind !== "Deployment" || !isDaemon(document) || usesBoth(pod)) continue;
      const args = [`${services.length}`, first];
      yield { on: document, code: "MSH1010", args, path: "spec.template.spec.containers" };
    }
  },
};

function hasBothVersions({ value }: PlainDocument): boolean {
  const of = (field: string): number => listAt(value, "spec", field).length;
  return of("clusterIPs") > 1 || of("ipFamilies") > 1;
}

function usesBoth({ spec }: PodShape): boolean {
  return listAt(spec, "containers").flatMap((container) => listAt(container, "env"))
    .some((one) =>
      textAt(one, "name") === VARIABLE && parseBoolean(textAt(one, "value") ?? "") === true
    );
}
