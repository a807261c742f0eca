/**
 * Decides which pods of a node are in ambient mode. Pure.
 *
 * @module
 */
import type { CniPod } from "../cni/mod.ts";

/** Labels by name. */
export type Labels = Readonly<Record<string, string>>;

/** Label of pods and namespaces; the pod's own wins. */
export const MODE = "mesh.io/dataplane-mode";
const AMBIENT = "ambient";
const SIDECAR = "sidecar.mesh.io/status";
/** The label of the node proxy's own pods. */
const OWN = { name: "app", value: "ztunnel" } as const;

/** The state of a pod. */
export type Enrolment =
  | { readonly kind: "in" }
  | { readonly kind: "out"; readonly reason: string };

/**
 * Decides by the pod and the labels of its namespace.
 *
 * @param excluded namespaces that the network plugin leaves alone
 */
export function enrolmentOf(
  { metadata, spec = {}, status = {} }: CniPod,
  namespaceLabels: Labels,
  excluded: ReadonlySet<string> = new Set(),
): Enrolment {
  const { namespace = "", labels = {}, annotations = {} } = metadata;
  const own = labels[MODE];
  const mode = own ?? namespaceLabels[MODE];
  if (mode !== AMBIENT) {
    const of = own === undefined ? "its namespace" : "the pod";
    return out(`the label ${MODE} of ${of} is not ${AMBIENT}`);
  }
  if (spec.hostNetwork === true) return out("it is in the node's network");
  if (annotations[SIDECAR] !== undefined) return out("it has a sidecar");
  if (labels[OWN.name] === OWN.value) return out("it is the node proxy");
  if (excluded.has(namespace)) return out(`namespace ${namespace} is excluded`);
  if (status.phase === "Succeeded" || status.phase === "Failed") return out("it has ended");
  return { kind: "in" };
}

function out(reason: string): Enrolment {
  return { kind: "out", reason };
}
