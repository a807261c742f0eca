/**
 * Events about pods, as `kubectl describe pod` shows them.
 *
 * @module
 */
import { hash } from "../base/mod.ts";
import type { OrchObject } from "./object.ts";

/** An Event about a pod. */
export interface PodEvent {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid?: string };
  readonly type: "Normal" | "Warning";
  /** In upper camel case, for selectors. */
  readonly reason: string;
  readonly message: string;
  /** The program that reports, and its process or node. */
  readonly component: string;
  readonly host?: string;
  /** RFC 3339. */
  readonly time: string;
}

/** An object of the kind Event. */
export interface EventObject extends OrchObject {
  readonly involvedObject: PodEvent["pod"] & { readonly apiVersion: string; readonly kind: string };
  readonly type: PodEvent["type"];
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component: string; readonly host?: string };
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
}

/** Longest message that the API server takes, in characters. */
const LONGEST = 1024;

/** The object of an Event that happened once. Events that differ in any field have different names. */
export function podEvent(event: PodEvent): EventObject {
  const { pod, type, reason, message, component, host, time } = event;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${pod.name.slice(0, 200)}.${hash(JSON.stringify(event)).slice(0, 16)}`,
      namespace: pod.namespace,
    },
    involvedObject: { apiVersion: "v1", kind: "Pod", ...pod },
    type,
    reason,
    message: message.slice(0, LONGEST),
    source: { component, ...host !== undefined && { host } },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}
