/**
 * Objects of the mesh itself, and workloads that belong to the mesh.
 *
 * @module
 */
import { GATEWAY_NAME_LABEL } from "../../../mesh/model/mod.ts";
import { containersOf, type DocumentSet, type PodShape } from "../document_set.ts";
import type { Labels } from "../workload_indexes.ts";
import { type PlainDocument, textAt } from "../plain.ts";

/** Name of the proxy's container (G30 of the interface). */
export const PROXY_CONTAINER = "mesh-proxy";

const INJECTION_LABEL = "mesh-injection";
const REVISION_LABEL = "mesh.io/rev";
const MODE_LABEL = "mesh.io/dataplane-mode";
const INJECT = "sidecar.mesh.io/inject";

/** True for an object of the control plane or of a gateway that was installed with it. */
export function isOfControlPlane({ labels }: { readonly labels: Labels }): boolean {
  return labels.mesh !== undefined || labels.release === "mesh";
}

/** True for an object or pod of the daemon, as the daemon's own Service selects pods. */
export function isDaemon({ labels }: { readonly labels: Labels }): boolean {
  return labels.app === "meshd";
}

/** Label of objects that a controller of gateways made; its value names the controller. */
export const MANAGED_LABEL = "gateway.mesh.io/managed";
const CONTROLLERS: ReadonlySet<string> = new Set([
  "mesh.io-eastwest-controller",
  "mesh.io-gateway-controller",
  "mesh.io-mesh-controller",
  "mesh.io-eastwest-controller",
]);

/** True for an object that a controller of gateways made. Services of waypoints have the label of the Gateway alone. */
export function isManaged({ labels }: { readonly labels: Labels }): boolean {
  return GATEWAY_NAME_LABEL in labels || CONTROLLERS.has(labels[MANAGED_LABEL] ?? "");
}

/** True for a pod with a proxy, or to which a webhook adds one. */
export function isInMesh(set: DocumentSet, pod: PodShape): boolean {
  const hasProxy = containersOf(pod).some((one) =>
    textAt(one, "name") === PROXY_CONTAINER && textAt(one, "image") !== ""
  );
  if (hasProxy) return true;
  const asked = pod.labels[INJECT] ?? pod.annotations[INJECT];
  if (asked !== undefined) return asked === "true";
  return namespaceOf(set, pod.namespace)?.labels[INJECTION_LABEL] === "enabled";
}

/** True for a pod whose traffic the node proxy captures. */
export function isCaptured({ annotations }: PodShape): boolean {
  return annotations["ambient.mesh.io/redirection"] === "enabled";
}

/** True for a namespace whose pods the node proxy serves. */
export function isAmbient(set: DocumentSet, namespace: string): boolean {
  const { labels = {} } = namespaceOf(set, namespace) ?? {};
  return labels[MODE_LABEL] === "ambient" && labels[INJECTION_LABEL] !== "enabled" &&
    (labels[REVISION_LABEL] ?? "") === "";
}

/** True for a namespace with a label for ambient mode and one for sidecars. */
export function hasBothModes({ labels }: PlainDocument): boolean {
  return labels[MODE_LABEL] === "ambient" &&
    (labels[INJECTION_LABEL] === "enabled" || (labels[REVISION_LABEL] ?? "") !== "");
}

function namespaceOf(set: DocumentSet, name: string): PlainDocument | undefined {
  return set.of("Namespace", "").find((one) => one.name === name);
}
