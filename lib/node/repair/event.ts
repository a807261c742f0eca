/**
 * Events on pods.
 *
 * @module
 */
import { createObject, type OrchClient, type OrchObject, types } from "../../kit/orch/mod.ts";
import type { CniPod } from "../cni/mod.ts";

/** An event about a pod. */
export interface PodEvent {
  readonly type: "Normal" | "Warning";
  /** In upper camel case, for selectors. */
  readonly reason: string;
  readonly message: string;
}

const COMPONENT = "install-cni";

/** Writes an event that users see in `kubectl describe pod`. */
export async function writeEvent(
  client: OrchClient,
  { metadata: { namespace = "", name, uid } }: CniPod,
  { type, reason, message }: PodEvent,
): Promise<void> {
  const now = new Date().toISOString();
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { generateName: `${name.slice(0, 40)}.`, namespace },
    involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name, uid },
    type,
    reason,
    message: message.slice(0, 1000),
    source: { component: COMPONENT },
    reportingComponent: COMPONENT,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
  await createObject(client, types.EVENT, event as unknown as OrchObject);
}
