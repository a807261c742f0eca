/**
 * Settings of a pod that change its rules. Pure.
 *
 * @module
 */
import { parseBoolean } from "../../kit/base/mod.ts";
import type { CniPod } from "../cni/mod.ts";

/** Settings of the rules of one pod. */
export interface PodOverrides {
  /** False: connections to the pod pass by the node proxy. */
  readonly inbound: boolean;
  readonly dns: boolean;
  /** Interfaces of virtual machines: traffic that comes in there counts as outbound. */
  readonly virtualInterfaces: readonly string[];
}

const BYPASS = "ambient.mesh.io/bypass-inbound-capture";
const DNS = "ambient.mesh.io/dns-capture";
const REROUTE = "mesh.io/reroute-virtual-interfaces";

/** Names of interfaces as the kernel takes them; a `+` at the end stands for any ending. */
const DEVICE = /^[A-Za-z0-9_.:-]{1,15}\+?$/;

/** Reads the annotations. Values that cannot be read change nothing; `refused` names them. */
export function overridesOf(
  { metadata: { annotations = {} } }: CniPod,
  { dnsCapture }: { readonly dnsCapture: boolean },
): PodOverrides & { readonly refused: readonly string[] } {
  const refused: string[] = [];
  const flag = (name: string, otherwise: boolean): boolean => {
    const text = annotations[name];
    if (text === undefined) return otherwise;
    const value = parseBoolean(text);
    if (value === undefined) refused.push(`${name}: ${JSON.stringify(text)} is no boolean`);
    return value ?? otherwise;
  };
  const devices = (annotations[REROUTE] ?? "").split(",").map((one) => one.trim())
    .filter((one) => one !== "");
  for (const device of devices.filter((one) => !DEVICE.test(one))) {
    refused.push(`${REROUTE}: ${JSON.stringify(device)} is not the name of an interface`);
  }
  return {
    inbound: !flag(BYPASS, false),
    dns: flag(DNS, dnsCapture),
    virtualInterfaces: devices.filter((one) => DEVICE.test(one)),
    refused,
  };
}
