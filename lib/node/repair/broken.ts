/**
 * Recognises pods that started before the network plugin was there. Pure.
 *
 * @module
 */
import type { Selection } from "../../kit/orch/mod.ts";
import type { CniPod } from "../cni/mod.ts";
import type { RepairSettings } from "./settings.ts";

/**
 * Reports if the init container of a pod with a sidecar ended as it does without rules. The last end
 * counts: one that succeeded since shows that the rules are there.
 */
export function isBroken(pod: CniPod, settings: RepairSettings): boolean {
  const { metadata, status = {} } = pod;
  if (metadata.deletionTimestamp !== undefined) return false;
  if (metadata.annotations?.[settings.sidecarAnnotation] === undefined) return false;
  const container = status.initContainerStatuses
    ?.find(({ name }) => name === settings.initContainerName);
  const end = container?.state?.terminated ?? container?.lastState?.terminated;
  if (end === undefined || end.exitCode !== settings.initContainerExitCode) return false;
  const wanted = settings.initContainerTerminationMessage.trim();
  return wanted === "" || end.message?.trim() === wanted;
}

/** The pods that are looked at. */
export function selectionOf(settings: RepairSettings): Selection {
  const { nodeName, labelSelectors, fieldSelectors } = settings;
  const fields = [nodeName === "" ? "" : `spec.nodeName=${nodeName}`, fieldSelectors.trim()]
    .filter((text) => text !== "").join(",");
  return {
    ...labelSelectors.trim() === "" ? {} : { labelSelector: labelSelectors.trim() },
    ...fields === "" ? {} : { fieldSelector: fields },
  };
}
