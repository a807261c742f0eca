/**
 * An installation: components with their objects, and the labels by which the objects are found again.
 *
 * @module
 */
import type { OrchObject } from "../../kit/orch/mod.ts";
import { LABELS } from "../operator/mod.ts";

/** Label with the name of the resource that describes the installation. */
export const OWNER_LABEL: string = LABELS.owner;
/** Label with the component of an object. */
export const COMPONENT_LABEL: string = LABELS.component;
/** Label with the version of the program that applied an object. */
export const VERSION_LABEL: string = LABELS.version;
/** Label of objects that an installation keeps. */
export const MANAGED_LABEL: string = LABELS.managed;

/** Name under which the fields are owned. */
export const MANAGER = "mesh-install";

/** The component of definitions and of what all revisions share. */
export const BASE = "Base";
/** The component of the control plane. */
export const PILOT = "Pilot";

/** The component of the network plugin. */
export const PLUGIN = "Cni";

/** The component of the node proxy. */
export const NODE_PROXY = "Ztunnel";

/** True for a component whose objects all revisions share. */
export function isShared(component: string | undefined): boolean {
  return component === BASE || component === PLUGIN || component === NODE_PROXY;
}

/** One component of an installation. */
export interface Component {
  /** Such as `Pilot` or `IngressGateways`. */
  readonly component: string;
  /** Tells several components of one kind apart; may be empty. */
  readonly name: string;
  readonly namespace: string;
  readonly objects: readonly OrchObject[];
}

/** The objects of one revision, with what all revisions share. */
export interface Installation {
  /** In the order of installation. */
  readonly components: readonly Component[];
  readonly revision: string;
  /** Version of what is installed. */
  readonly version: string;
  /** Namespace of the control plane. */
  readonly namespace: string;
}

/** Components that are installed together; each group waits until the one before it is ready. */
const GROUPS: readonly (readonly string[])[] = [[BASE], [PILOT, PLUGIN], [NODE_PROXY]];

/** The components in groups: one group is ready before the next begins. Gateways come last. */
export function phasesOf(components: readonly Component[]): Component[][] {
  const groupOf = ({ component }: Component): number => {
    const at = GROUPS.findIndex((names) => names.includes(component));
    return at < 0 ? GROUPS.length : at;
  };
  const phases = Array.from(
    { length: GROUPS.length + 1 },
    (_, at) => components.filter((one) => groupOf(one) === at),
  );
  return phases.filter((phase) => phase.length > 0);
}

/** Components as messages name them. */
const TITLES: Readonly<Record<string, string>> = {
  [BASE]: "Mesh core",
  [PILOT]: "Meshd",
  [PLUGIN]: "CNI",
  [NODE_PROXY]: "Ztunnel",
  IngressGateways: "Ingress gateways",
  EgressGateways: "Egress gateways",
};

/** The name of a component in messages. */
export function titleOf(component: string): string {
  return TITLES[component] ?? component;
}

/** An object in messages, such as `Deployment mesh-system/meshd`. */
export function nameOf({ kind, metadata: { namespace, name } }: OrchObject): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** Identifies an object beside those of other kinds. */
export function identityOf({ apiVersion, kind, metadata }: OrchObject): string {
  const group = apiVersion.includes("/") ? apiVersion.replace(/\/.*/, "") : "";
  return JSON.stringify([group, kind, metadata.namespace ?? "", metadata.name]);
}
