/**
 * Pods as the API server has them.
 *
 * @module
 */
import {
  getObject,
  isNotFound,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import type { CniPod, PodReader, PodRef } from "./types.ts";

/** Annotation of the API server's copy of a pod of the node: the id that the kubelet knows it by. */
const STATIC_ID = "kubernetes.io/config.hash";

/** Reads pods with a client. */
export function podReader(client: OrchClient): PodReader {
  return {
    async read({ namespace, name }, signal) {
      try {
        return await getObject<CniPod & OrchObject>(client, types.POD, { namespace, name }, {
          signal,
        });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
  };
}

/** False for another pod that has the name of this one, made before or after it. */
export function isPod({ metadata }: CniPod, { uid }: PodRef): boolean {
  return uid === undefined || metadata.uid === uid || metadata.annotations?.[STATIC_ID] === uid;
}

/** The namespace and the name of a pod, for messages; empty for no pod. */
export function podName(ref: PodRef | undefined): string {
  return ref === undefined ? "" : [ref.namespace, ref.name].join("/");
}
