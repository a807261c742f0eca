/**
 * Acts on a broken pod.
 *
 * @module
 */
import {
  deleteObject,
  isConflict,
  isNotFound,
  mergePatch,
  type OrchClient,
  types,
} from "../../kit/orch/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import type { Runner } from "../capture/mod.ts";
import {
  capturePod,
  type CniPod,
  decide,
  hostPaths,
  namespaceOfPod,
  type NodeNameservers,
} from "../cni/mod.ts";
import type { RepairSettings } from "./settings.ts";

/** The kinds of actions, as the metric names them. */
export type ActionType = "repair" | "delete" | "label";

/** Dependencies of the actions. */
export interface ActOptions {
  readonly client: OrchClient;
  readonly settings: RepairSettings;
  /** Folder with `/proc` and `/var/run/netns` of the node, such as `/host`; empty: those of this process. */
  readonly hostRoot: string;
  readonly nameservers: NodeNameservers;
  /** Runs programs in the network namespace at a path that this process sees. */
  runnerFor(seen: string): Runner;
}

/** The end of an action. */
export interface Acted {
  readonly result: "success" | "skip";
  /** For the event and the log. */
  readonly message: string;
}

/** The action that the settings ask for: the first of repair, deletion and label. */
export function actionOf(settings: RepairSettings): ActionType | undefined {
  if (settings.repairPods) return "repair";
  if (settings.deletePods) return "delete";
  return settings.labelPods ? "label" : undefined;
}

/** @throws when the action fails and may succeed later */
export async function act(type: ActionType, pod: CniPod, options: ActOptions): Promise<Acted> {
  try {
    switch (type) {
      case "repair":
        return await repairInPlace(pod, options);
      case "delete":
        return await deletePod(pod, options);
      case "label":
        return await labelPod(pod, options);
    }
  } catch (error) {
    if (isNotFound(error)) return skip("the pod is gone");
    if (isConflict(error)) return skip("another pod has its name");
    throw error;
  }
}

function skip(message: string): Acted {
  return { result: "skip", message };
}

async function repairInPlace(pod: CniPod, options: ActOptions): Promise<Acted> {
  const decision = decide(pod);
  if (decision.kind === "skip") return skip(decision.reason);
  const { hostRoot, nameservers, settings } = options;
  const seen = await namespaceOfPod(pod, options);
  if (seen === undefined) {
    // Without a node's name, pods of all nodes are watched.
    if (settings.nodeName === "") return skip("the pod is not on this node");
    throw new MeshError("pod-not-here", "the network namespace of the pod is not on this node", {
      remedy: "It is tried again. Mount /proc and /var/run/netns of the node (HostToContainer).",
    });
  }
  await hostPaths(hostRoot).check(seen);
  const runner = options.runnerFor(seen);
  const applied = await capturePod({ pod, proxy: decision.proxy, runner, nameservers });
  const done = applied === "in-place" ? "were in place" : "were set";
  return { result: "success", message: `The rules of traffic capture ${done}.` };
}

async function deletePod({ metadata }: CniPod, { client }: ActOptions): Promise<Acted> {
  const { namespace = "", name, uid } = metadata;
  await deleteObject(client, types.POD, { namespace, name }, uid === undefined ? {} : { uid });
  return { result: "success", message: "The pod was deleted, because it started without rules." };
}

async function labelPod({ metadata }: CniPod, options: ActOptions): Promise<Acted> {
  const { client, settings: { labelKey, labelValue } } = options;
  const { namespace = "", name, uid, labels = {} } = metadata;
  if (labels[labelKey] === labelValue) return skip("the pod has the label");
  await mergePatch(client, types.POD, { namespace, name }, {
    metadata: { ...uid === undefined ? {} : { uid }, labels: { [labelKey]: labelValue } },
  });
  return { result: "success", message: `The pod got the label ${labelKey}=${labelValue}.` };
}
