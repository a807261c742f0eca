/**
 * Deployments behind several Services.
 *
 * @module
 */
import { hasLabels } from "../../../mesh/model/mod.ts";
import { type DocumentAnalyzer, type DocumentFinding, type PodShape } from "../document_set.ts";
import { listAt, mapAt, type PlainDocument, textAt, textsOf } from "../plain.ts";
import { isInMesh, MANAGED_LABEL } from "./mesh_objects.ts";

/** Services of one Deployment that use a port with different protocols, or a target with different ports. */
export const SEVERAL_SERVICES: DocumentAnalyzer = {
  name: "deployment.MultiServiceAnalyzer",
  kinds: ["Deployment", "Service", "Namespace"],
  codes: ["MSH0116", "MSH0137"],
  *analyze(set) {
    for (const pod of set.pods()) {
      const { document } = pod;
      if (document.kind !== "Deployment" || !isInMesh(set, pod)) continue;
      if (document.labels[MANAGED_LABEL] === "mesh.io-mesh-controller") continue;
      const services = set.of("Service", "").filter((service) => selects(service, pod));
      if (services.length > 1) yield* portFindings(document, services);
    }
  },
};

function selects({ namespace, value }: PlainDocument, pod: PodShape): boolean {
  const selector = textsOf(mapAt(value, "spec", "selector"));
  return namespace === pod.namespace && Object.keys(selector).length > 0 &&
    hasLabels(pod.labels, selector);
}

interface UsedPort {
  readonly service: string;
  readonly port: string;
  readonly target: string;
  readonly protocol: string;
}

function* portFindings(
  deployment: PlainDocument,
  services: readonly PlainDocument[],
): Iterable<DocumentFinding> {
  const used = services.flatMap(({ name, namespace, value }) =>
    listAt(value, "spec", "ports").map((one): UsedPort => {
      const port = textAt(one, "port");
      return {
        service: `${name}.${namespace}`,
        port,
        target: textAt(one, "targetPort") || port,
        protocol: textAt(one, "protocol") || "TCP",
      };
    })
  );
  const { name } = deployment;
  for (const [port, group] of Map.groupBy(used, (one) => one.port)) {
    if (new Set(group.map(({ protocol }) => protocol)).size < 2) continue;
    const args = [name, port, namesOf(group)];
    yield { on: deployment, code: "MSH0116", args, path: "" };
  }
  for (const [target, group] of Map.groupBy(used, (one) => one.target)) {
    const ports = new Set(group.map(({ port }) => port));
    if (ports.size < 2) continue;
    const args = [name, namesOf(group), target, [...ports].sort().join(", ")];
    yield { on: deployment, code: "MSH0137", args, path: "" };
  }
}

function namesOf(group: readonly UsedPort[]): string {
  return [...new Set(group.map(({ service }) => service))].sort().join(", ");
}
