/**
 * Checks the values of annotations that change the injected proxy.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { isCidr } from "../../kit/text/mod.ts";
import { booleanOf } from "./booleans.ts";
import { annotationsOf, type Pod } from "./objects.ts";

/** A check: the mistake, or `undefined`. */
type Check = (value: string) => string | undefined;

const each = (value: string, isValid: (one: string) => boolean, what: string) => {
  const wrong = value.split(",").map((one) => one.trim()).filter((one) => one !== "")
    .find((one) => !isValid(one));
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not ${what}`;
};
const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) < 65536;
const isUnsigned: Check = (value) =>
  /^\d{1,9}$/.test(value.trim()) ? undefined : `${JSON.stringify(value)} is not a whole number`;
const isBoolean: Check = (value) =>
  booleanOf(value) !== undefined ? undefined : `${JSON.stringify(value)} is not true or false`;
const isTrueOrFalse: Check = (value) =>
  value === "true" || value === "false"
    ? undefined
    : `${JSON.stringify(value)} is not true or false`;
const isQuantity: Check = (value) =>
  /^\d+(?:\.\d+)?(?:[eE]\d+|[numkKMGTPE]i?)?$/.test(value)
    ? undefined
    : `${JSON.stringify(value)} is not a quantity such as 100m or 128Mi`;
const isPorts: Check = (value) => each(value, isPort, "a port");
const isPortsOrAll: Check = (value) => value === "*" ? undefined : isPorts(value);
const isRanges: Check = (value) => each(value, isCidr, "a range of addresses such as 10.0.0.0/8");
const isRangesOrAll: Check = (value) => value === "*" ? undefined : isRanges(value);
const isJsonObject: Check = (value) => {
  try {
    const parsed = JSON.parse(value);
    if (typeof parsed === "object" && parsed !== null) return undefined;
  } catch { /* Said below. */ }
  return "it is not a JSON object";
};
const isMode: Check = (value) =>
  ["REDIRECT", "TPROXY", "NONE"].includes(value)
    ? undefined
    : `${JSON.stringify(value)} is not REDIRECT, TPROXY or NONE`;

/** Checks by annotation. */
const CHECKS: ReadonlyMap<string, Check> = new Map([
  ["sidecar.mesh.io/interceptionMode", isMode],
  ["sidecar.mesh.io/nativeSidecar", isTrueOrFalse],
  ["sidecar.mesh.io/proxyCPU", isQuantity],
  ["sidecar.mesh.io/proxyCPULimit", isQuantity],
  ["sidecar.mesh.io/proxyMemory", isQuantity],
  ["sidecar.mesh.io/proxyMemoryLimit", isQuantity],
  ["sidecar.mesh.io/userVolume", isJsonObject],
  ["sidecar.mesh.io/userVolumeMount", isJsonObject],
  ["status.sidecar.mesh.io/port", (value) => isPort(value) ? undefined : "it is not a port"],
  ["readiness.status.sidecar.mesh.io/initialDelaySeconds", isUnsigned],
  ["readiness.status.sidecar.mesh.io/periodSeconds", isUnsigned],
  ["readiness.status.sidecar.mesh.io/failureThreshold", isUnsigned],
  ["readiness.status.sidecar.mesh.io/applicationPorts", isPortsOrAll],
  ["prometheus.mesh.io/merge-metrics", isBoolean],
  ["traffic.sidecar.mesh.io/includeOutboundIPRanges", isRangesOrAll],
  ["traffic.sidecar.mesh.io/excludeOutboundIPRanges", isRanges],
  ["traffic.sidecar.mesh.io/includeOutboundPorts", isPortsOrAll],
  ["traffic.sidecar.mesh.io/excludeOutboundPorts", isPorts],
  ["traffic.sidecar.mesh.io/includeInboundPorts", isPortsOrAll],
  ["traffic.sidecar.mesh.io/excludeInboundPorts", isPorts],
]);

/**
 * Checks the annotations of a pod.
 *
 * @throws MeshError `inject-annotation` that names the first wrong annotation
 */
export function checkAnnotations(pod: Pod): void {
  const annotations = annotationsOf(pod);
  for (const [name, check] of CHECKS) {
    const value = annotations[name];
    // Empty means the default.
    const fault = value === undefined || value === "" ? undefined : check(value);
    if (fault !== undefined) {
      throw new MeshError("inject-annotation", `metadata.annotations["${name}"]: ${fault}`, {
        remedy: "Correct the annotation, or remove it to use the default.",
      });
    }
  }
}
