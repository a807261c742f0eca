/**
 * Names of values: which of them act, which are known and do nothing here, which are unknown.
 *
 * @module
 */
import { DEFAULT_VALUES } from "./defaults/mod.ts";
import type { Json } from "./objects.ts";
import { isMap } from "../../kit/template/mod.ts";

/** Most values that are named one by one; the rest is counted. */
const MOST_NAMED = 40;

/** Values that act and have no default, because nothing stands for their absence. */
export const WITHOUT_DEFAULT: readonly string[] = ["global.trustDomain"];

const INSTALLER = "it acts when the mesh is installed, and not when pods are injected";
const CONFIG = "give it in the key `config` of this ConfigMap";
const DAEMON = "it is a setting of the daemon";

/** Known values that do nothing in the injection of pods, each with its reason. */
export const INEFFECTIVE_VALUES: Readonly<Record<string, string>> = {
  "gateways.mesh-egressgateway": INSTALLER,
  "gateways.mesh-ingressgateway": INSTALLER,
  "global.autoscalingv2API": INSTALLER,
  "global.certSigners": DAEMON,
  "global.configCluster": INSTALLER,
  "global.configValidation": INSTALLER,
  "global.defaultNodeSelector": INSTALLER,
  "global.defaultPodDisruptionBudget": INSTALLER,
  "global.defaultResources": INSTALLER,
  "global.defaultTolerations": INSTALLER,
  "global.enableAnalysis": DAEMON,
  "global.externalMeshd": INSTALLER,
  "global.meshd": DAEMON,
  "global.meshNetworks": "give the networks in the file of the daemon's --networksConfig",
  "global.multiCluster.enabled": INSTALLER,
  "global.omitSidecarInjectorConfigMap": INSTALLER,
  "global.oneNamespace": DAEMON,
  "global.operatorManageWebhooks": INSTALLER,
  "global.podDNSSearchNamespaces": "set dnsConfig in the pod",
  "global.priorityClassName": INSTALLER,
  "global.proxy.autoInject": `${CONFIG} as \`policy\``,
  "global.proxy.enableCoreDump": "set the limit in the pod's own container mesh-proxy",
  "global.proxy.lifecycle": "set the lifecycle in the pod's own container mesh-proxy",
  "global.remotePilotAddress": INSTALLER,
  "global.resourceScope": INSTALLER,
  "meshConfig": "give it in the ConfigMap of the mesh configuration",
  "pilot.env": DAEMON,
  "sidecarInjectorWebhook.alwaysInjectSelector": `${CONFIG} as \`alwaysInjectSelector\``,
  "sidecarInjectorWebhook.defaultTemplates": `${CONFIG} as \`defaultTemplates\``,
  "sidecarInjectorWebhook.enableNamespacesByDefault": INSTALLER,
  "sidecarInjectorWebhook.injectedAnnotations": `${CONFIG} as \`injectedAnnotations\``,
  "sidecarInjectorWebhook.neverInjectSelector": `${CONFIG} as \`neverInjectSelector\``,
  "sidecarInjectorWebhook.reinvocationPolicy": INSTALLER,
  "sidecarInjectorWebhook.templates": `${CONFIG} as \`templates\``,
};

/**
 * Values that nothing reads, as sentences; the parts of an unknown map are not named each. A known
 * value without effect is not named while it is empty, as charts write it.
 *
 * @param own the values without the defaults
 * @param read paths that the user's own templates read, each with all below it
 */
export function nameWarnings(own: Json, read: readonly (readonly string[])[]): string[] {
  const warnings = [...silentValues(own, [], read)];
  const more = warnings.length - MOST_NAMED;
  return more <= 0
    ? warnings
    : [...warnings.slice(0, MOST_NAMED), `values: ${more} more values do nothing`];
}

function* silentValues(
  values: Json,
  above: readonly string[],
  read: readonly (readonly string[])[],
): Iterable<string> {
  for (const [name, value] of Object.entries(values)) {
    const path = [...above, name];
    if (read.some((one) => startsWith(path, one))) continue;
    const inside = isMap(value) ? value as Json : undefined;
    const known = knownAt(path);
    if (known === "acts") continue;
    const text = path.join(".");
    const reason = INEFFECTIVE_VALUES[text];
    if (reason !== undefined) {
      if (!isEmpty(value)) yield `values.${text}: it does nothing here; ${reason}`;
    } else if (inside !== undefined && (known === "has acting parts" || isAbove(path, read))) {
      yield* silentValues(inside, path, read);
    } else if (known === "has acting parts") {
      if (value !== null) yield `values.${text}: it is not a map, so that nothing below it is set`;
    } else yield `values.${text}: no template reads it; check its spelling, or remove it`;
  }
}

/** The knowledge of a path: it acts, with all below it, or it is the way to something known. */
function knownAt(path: readonly string[]): "acts" | "has acting parts" | undefined {
  const text = path.join(".");
  if (WITHOUT_DEFAULT.includes(text)) return "acts";
  let at: unknown = DEFAULT_VALUES;
  for (const name of path) {
    if (!isMap(at) || !Object.hasOwn(at, name)) {
      return isAbove(path, KNOWN) ? "has acting parts" : undefined;
    }
    at = (at as Json)[name];
    // A map without built-in parts takes any.
    if (!isMap(at) || Object.keys(at).length === 0 || FREE.includes(path.join("."))) return "acts";
  }
  return "has acting parts";
}

/** Maps with built-in parts that are passed on as a whole. */
const FREE: readonly string[] = ["global.proxy.resources", "global.waypoint.resources"];

const KNOWN: readonly (readonly string[])[] = [
  ...WITHOUT_DEFAULT,
  ...Object.keys(INEFFECTIVE_VALUES),
].map((path) => path.split("."));

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, at) => path[at] === name);
}

function isAbove(path: readonly string[], others: readonly (readonly string[])[]): boolean {
  return others.some((other) => startsWith(other, path));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === false) return true;
  return Array.isArray(value)
    ? value.length === 0
    : isMap(value) && Object.keys(value).length === 0;
}
