/**
 * The network plugin: it is ready on nodes whose pods need it, and nodes that wait for it are named.
 *
 * @module
 */
import { objectKey } from "../../../mesh/model/mod.ts";
import type { DocumentAnalyzer, DocumentFinding, DocumentSet, PodShape } from "../document_set.ts";
import { listAt, type PlainDocument, textAt, valueAt } from "../plain.ts";
import { injectors, injectorValues } from "./injector_config.ts";

/** Label of the plugin's pods. */
const PLUGIN = "mesh-cni-node";
/** Taint of nodes on which the plugin was not ready yet; a controller of the daemon removes it. */
const TAINT = "cni.mesh.io/not-ready";
/** Variable that starts this controller. */
const CONTROLLER = "PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS";
/** Init container of injected pods whose traffic the plugin redirects. */
const VALIDATION = "mesh-validation";
/** Annotation of injected pods. */
const INJECTED = "sidecar.mesh.io/status";
/** Most names in a message. */
const MAX_NAMES = 5;

/** Nodes without a ready pod of the network plugin, and settings that rely on it. */
export const NETWORK_PLUGIN: DocumentAnalyzer = {
  name: "cni.NetworkPluginAnalyzer",
  kinds: ["Node", "Pod", "ConfigMap"],
  codes: ["MSH1005", "MSH1006", "MSH1007"],
  *analyze(set) {
    const pods = set.pods().filter(({ document }) => document.kind === "Pod");
    const plugins = pods.filter(({ labels }) => labels["k8s-app"] === PLUGIN);
    const ready = new Set(plugins.filter(isReady).map(nodeOf));
    const relying = Map.groupBy(pods.filter(reliesOnPlugin), nodeOf);
    for (const node of set.of("Node", "")) {
      const needing = ready.has(node.name) ? [] : relying.get(node.name) ?? [];
      if (needing.length > 0) yield missing(node, needing);
      const isTainted = listAt(node.value, "spec", "taints")
        .some((taint) => textAt(taint, "key") === TAINT);
      if (isTainted) yield waiting(node, ready.has(node.name));
    }
    if (plugins.length === 0 && set.of("Node", "").length > 0) yield* absent(set);
  },
};

function missing(node: PlainDocument, pods: readonly PodShape[]): DocumentFinding {
  const names = pods.map(({ document }) => objectKey(document)).sort();
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : "";
  const args = [node.name, `${names.length}`, names.slice(0, MAX_NAMES).join(", ") + more];
  return { on: node, code: "MSH1005", args, path: "" };
}

/** A tainted node. With a ready pod on it nobody removes the taint. */
function waiting(node: PlainDocument, isReady: boolean): DocumentFinding {
  const args = [node.name, TAINT, isReady ? "a ready" : "no ready"];
  const remedy =
    `Start the daemon with ${CONTROLLER}=true, which removes the taint, or remove it: ` +
    `kubectl taint node ${node.name} ${TAINT}-`;
  return { on: node, code: "MSH1007", args, path: "spec.taints", ...isReady && { remedy } };
}

/** The settings of injection that rely on the plugin, in a cluster without one. */
function* absent(set: DocumentSet): Iterable<DocumentFinding> {
  for (const { document, revision } of injectors(set)) {
    if (valueAt(injectorValues(set, revision), "pilot", "cni", "enabled") !== true) continue;
    yield { on: document, code: "MSH1006", args: [], path: "data.values" };
  }
}

/** True for a pod on a node that was injected, goes on, and has no init container that sets rules. */
function reliesOnPlugin(pod: PodShape): boolean {
  const { annotations, spec, document: { value } } = pod;
  return annotations[INJECTED] !== undefined && nodeOf(pod) !== "" &&
    !["Failed", "Succeeded"].includes(textAt(value, "status", "phase")) &&
    listAt(spec, "initContainers").some((one) => textAt(one, "name") === VALIDATION);
}

function nodeOf({ spec }: PodShape): string {
  return textAt(spec, "nodeName");
}

function isReady({ document: { value } }: PodShape): boolean {
  return valueAt(value, "metadata", "deletionTimestamp") === undefined &&
    listAt(value, "status", "conditions").some((one) =>
      textAt(one, "type") === "Ready" && textAt(one, "status") === "True"
    );
}
