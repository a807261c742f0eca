/**
 * Controller: removes the taint of nodes on which the network plugin's pod is ready.
 *
 * @module
 */
import { isConflict, isNotFound, type ListItem, mergePatch, types } from "../../../kit/orch/mod.ts";
import { observe, reconcile, type Term, Wake } from "../reconcile.ts";
import { applyAll } from "../writes.ts";

/** Key of the taint that keeps pods off a node until its network plugin is ready. */
export const TAINT = "cni.mesh.io/not-ready";
/** Label of the network plugin's pods. */
const PLUGIN = "k8s-app=mesh-cni-node";

export interface NodeItem extends ListItem {
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
}

/** A pod of the network plugin. */
export interface PluginPod extends ListItem {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** A node and the taints that it keeps. */
export interface Untainted {
  readonly node: NodeItem;
  readonly taints: readonly { readonly key: string }[];
}

/** The tainted nodes with a ready pod of the plugin. */
export function untaintedNodes(
  nodes: readonly NodeItem[],
  pods: readonly PluginPod[],
): Untainted[] {
  const ready = new Set(pods.filter(isReady).map(({ spec }) => spec?.nodeName));
  return nodes.flatMap((node) => {
    const all = node.spec?.taints ?? [];
    const taints = all.filter(({ key }) => key !== TAINT);
    return taints.length < all.length && ready.has(node.metadata.name) ? [{ node, taints }] : [];
  });
}

function isReady({ metadata, status }: PluginPod): boolean {
  return metadata.deletionTimestamp === undefined &&
    (status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
}

/** Removes taints until the end of the term. `namespace` is that of the plugin's pods. */
export async function runUntaint(
  term: Term,
  { namespace }: { readonly namespace: string },
): Promise<void> {
  const wake = new Wake();
  const nodes = observe<NodeItem>(term, types.NODE, {
    wake,
    convert: ({ metadata, spec }) => ({ metadata, spec: { taints: spec?.taints ?? [] } }),
  });
  const pods = observe<PluginPod>(term, types.POD, {
    wake,
    selection: { namespace, labelSelector: PLUGIN },
  });
  const tasks = () =>
    untaintedNodes(nodes.values(), pods.values()).map(({ node, taints }) => () => {
      const { name, resourceVersion } = node.metadata;
      // Taints are a list: a version in between would be lost without the precondition.
      const patch = { metadata: { resourceVersion }, spec: { taints } };
      return mergePatch(term.client, types.NODE, { name }, patch).catch((error) => {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      });
    });
  await reconcile(term, wake, {
    name: "untaint",
    follows: [nodes, pods],
    pass: (current) => applyAll(current, tasks()),
  });
}
