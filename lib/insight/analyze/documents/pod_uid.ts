/**
 * Users of applications: the proxy's own is not captured.
 *
 * @module
 */
import type { DocumentAnalyzer, PodShape } from "../document_set.ts";
import { listAt, textAt, valueAt } from "../plain.ts";
import { isDaemon, isOfControlPlane } from "./mesh_objects.ts";

/** The proxy's user; packets of its processes are not redirected (G30 of the interface). */
const PROXY_UID = 1337;
const PROXY_CONTAINERS: ReadonlySet<string> = new Set(["mesh-init", "mesh-proxy"]);

/** An application that runs as the proxy's user. */
export const POD_UID: DocumentAnalyzer = {
  name: "applicationUID.Analyzer",
  kinds: ["Pod", "Deployment"],
  codes: ["MSH0144"],
  *analyze(set) {
    for (const pod of set.pods()) {
      if (!["Pod", "Deployment"].includes(pod.document.kind)) continue;
      // Gateways and the daemon may run as the proxy's user: nothing captures their packets.
      if (isOfControlPlane(pod.document) || isDaemon(pod)) continue;
      const path = faultOf(pod);
      if (path === undefined) continue;
      const prefix = pod.document.kind === "Pod" ? "spec" : "spec.template.spec";
      yield { on: pod.document, code: "MSH0144", args: [], path: `${prefix}.${path}` };
    }
  },
};

/** The path of the user below the specification of the pod. */
function faultOf({ spec }: PodShape): string | undefined {
  if (valueAt(spec, "securityContext", "runAsUser") === PROXY_UID) {
    return "securityContext.runAsUser";
  }
  const at = listAt(spec, "containers").findIndex((container) =>
    !PROXY_CONTAINERS.has(textAt(container, "name")) &&
    valueAt(container, "securityContext", "runAsUser") === PROXY_UID
  );
  return at < 0 ? undefined : `containers[${at}].securityContext.runAsUser`;
}
