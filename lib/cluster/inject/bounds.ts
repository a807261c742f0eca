/**
 * Bounds of the work for one pod. They are checked before the work begins: creating a
 * pod must not stop the daemon. Pods that a node can run are far below them.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { allContainers, annotationsOf, type Container, labelsOf, type Pod } from "./objects.ts";

/** Containers and init containers. */
const MAX_CONTAINERS = 200;
/** Ports of all containers: the proxy gets them in one variable, of at most 128 KiB. */
const MAX_PORTS = 2_000;
/** Characters of labels and annotations: the orchestrator's API has this limit for annotations. */
const MAX_METADATA = 256 << 10;
const MAX_METADATA_ENTRIES = 4_000;
/** Values in an annotation with a structure or a list, such as proxy configuration. */
const MAX_VALUES = 4_000;
const STRUCTURES = [
  "apm.datadoghq.com/env",
  "proxy.mesh.io/config",
  "readiness.status.sidecar.mesh.io/applicationPorts",
  "sidecar.mesh.io/userVolume",
  "sidecar.mesh.io/userVolumeMount",
  "traffic.sidecar.mesh.io/excludeInboundPorts",
  "traffic.sidecar.mesh.io/excludeOutboundIPRanges",
  "traffic.sidecar.mesh.io/excludeOutboundPorts",
  "traffic.sidecar.mesh.io/includeInboundPorts",
  "traffic.sidecar.mesh.io/includeOutboundIPRanges",
  "traffic.sidecar.mesh.io/includeOutboundPorts",
];
/** Names in the annotation with templates. */
const MAX_TEMPLATES = 32;

/** The work that all templates of one pod share. */
export interface RenderBudget {
  /** Actions and pieces of text. */
  steps: number;
  /** Characters of the results. */
  characters: number;
  /** Values in the results, roughly: reading them as YAML takes the most time. */
  values: number;
}

/** A fresh budget. */
export function renderBudget(): RenderBudget {
  return { steps: 50_000, characters: 1 << 20, values: 16_000 };
}

/**
 * Checks a pod.
 *
 * @throws MeshError `inject-size` that names the part of the pod; `inject-result` for containers that
 * the orchestrator refuses
 */
export function checkSize(pod: Pod): void {
  checkContainers(pod, "spec");
  checkNames(allContainers(pod));
  const annotations = annotationsOf(pod);
  const metadata = [...Object.entries(labelsOf(pod)), ...Object.entries(annotations)];
  refuseAbove("metadata: the number of entries", metadata.length, MAX_METADATA_ENTRIES);
  const characters = metadata
    .reduce((sum, [name, value]) => sum + name.length + String(value).length, 0);
  refuseAbove("metadata: the number of characters", characters, MAX_METADATA);
  for (const name of STRUCTURES) {
    const where = `metadata.annotations["${name}"]: the number of values`;
    refuseAbove(where, valuesIn(String(annotations[name] ?? "")), MAX_VALUES);
  }
}

/**
 * Checks the containers of a pod.
 *
 * @param where names the place of the containers in the message
 * @throws MeshError `inject-size`
 */
export function checkContainers(pod: Pod, where: string): void {
  const containers = allContainers(pod);
  refuseAbove(`${where}: the number of containers`, containers.length, MAX_CONTAINERS);
  const ports = containers.reduce(
    (sum, one) => sum + (Array.isArray(one?.ports) ? one.ports.length : 0),
    0,
  );
  refuseAbove(`${where}: the number of ports`, ports, MAX_PORTS);
}

/** Each container with the name of a template's is merged with it: with one name, that is done once. */
function checkNames(containers: readonly (Container | undefined)[]): void {
  const names = new Set<string>();
  for (const one of containers) {
    const name = one?.name;
    if (typeof name === "string" && names.has(name)) {
      throw new MeshError("inject-result", `spec: two containers have the name ${name}`, {
        remedy: "Give each container and init container a name of its own.",
      });
    }
    if (typeof name === "string") names.add(name);
  }
}

/** Checks the number of templates that an annotation names. */
export function checkTemplateCount(where: string, count: number): void {
  refuseAbove(`${where}: the number of templates`, count, MAX_TEMPLATES);
}

function refuseAbove(what: string, count: number, most: number): void {
  if (count <= most) return;
  throw new MeshError("inject-size", `${what} is ${count}, at most ${most} can be injected`, {
    remedy:
      "Make the pod smaller, or refuse injection with the label sidecar.mesh.io/inject=false.",
  });
}

/** Roughly the number of values in a text of YAML or JSON: none is without one of these characters. */
export function valuesIn(text: string): number {
  let count = 1;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x0a: // Line feed.
      case 0x2c: // Comma.
      case 0x5b: // Opening brackets.
      case 0x7b:
        count++;
    }
  }
  return count;
}
