/**
 * Decides if the traffic of a pod is captured. Pure.
 *
 * @module
 */
import { parseBoolean } from "../../kit/base/mod.ts";
import type { CniPod, PodContainer } from "./types.ts";

/** The treatment of a pod. */
export type Decision =
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "capture"; readonly proxy: PodContainer };

const PROXY = "mesh-proxy";
const INIT = "mesh-init";
const STATUS = "sidecar.mesh.io/status";
const INJECT = "sidecar.mesh.io/inject";
const MODE = "sidecar.mesh.io/interceptionMode";

/** Decides by the pod alone; excluded namespaces are known before it is read. */
export function decide(pod: CniPod): Decision {
  const { spec = {}, metadata: { annotations = {} } } = pod;
  const initial = spec.initContainers ?? [];
  // A native sidecar is an init container.
  const proxy = [...spec.containers ?? [], ...initial].find(({ name }) => name === PROXY);
  if (spec.hostNetwork) return skip("it is in the node's network");
  if (annotations[STATUS] === undefined) return skip(`it has no annotation ${STATUS}`);
  if (initial.some(({ name }) => name === INIT)) return skip(`${INIT} sets its rules`);
  if (proxy === undefined) return skip(`it has no container ${PROXY}`);
  if (parseBoolean(annotations[INJECT] ?? "") === false) return skip(`${INJECT} is false`);
  if (annotations[MODE] === "NONE") return skip(`${MODE} is NONE`);
  if (parseBoolean(variableOf(proxy, "DISABLE_DATAPROXY") ?? "") === true) {
    return skip("DISABLE_DATAPROXY is true");
  }
  return { kind: "capture", proxy };
}

function skip(reason: string): Decision {
  return { kind: "skip", reason };
}

/** The value of a variable of a container; the last of equal names counts. */
export function variableOf({ env = [] }: PodContainer, name: string): string | undefined {
  return env.findLast((variable) => variable.name === name)?.value;
}
