/**
 * The writes of one pass over Gateways, computed from what is observed.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import type { ListItem, OrchObject } from "../../../kit/orch/mod.ts";
import { objectKey } from "../../../mesh/model/mod.ts";
import { EAST_WEST_CONTROLLER, WAYPOINT_CONTROLLER } from "./classes.ts";
import type { GatewayContext } from "./desired.ts";
import {
  EAST_WEST_MANAGED,
  isManual,
  isOwnRevision,
  MANAGED,
  MANAGED_LABEL,
  type RevisionOwner,
  WAYPOINT_MANAGED,
} from "./managed.ts";
import { Rendered } from "./rendered.ts";
import type { GatewayClassItem, GatewayItem } from "./types.ts";

/** A managed object with its kind, which objects of lists do not have. */
export interface ManagedItem {
  readonly kind: string;
  readonly item: ListItem;
}

/** The observed state. */
export interface ObservedGateways {
  readonly gateways: readonly GatewayItem[];
  readonly classes: readonly GatewayClassItem[];
  readonly namespaces: readonly ListItem[];
  readonly managed: readonly ManagedItem[];
}

/** Settings that select Gateways. */
export interface GatewayRules extends RevisionOwner {
  readonly controllerName: string;
  /** False: waypoints are not deployed. */
  readonly waypoints: boolean;
  /** False: gateways that take tunnels into their network are not deployed. */
  readonly eastWest: boolean;
  /** True for a namespace that the mesh configuration selects. */
  selects(namespace: string, labels: Readonly<Record<string, string>>): boolean;
}

/** Gateways, with their class, that this daemon is responsible for. */
export interface OwnGateway {
  readonly gateway: GatewayItem;
  readonly of: GatewayClassItem;
}

/** A Gateway that cannot be deployed. */
export interface GatewayFault {
  readonly gateway: GatewayItem;
  readonly reason: string;
  readonly remedy?: string | undefined;
}

export interface GatewayPlan {
  readonly wanted: readonly { readonly gateway: GatewayItem; readonly object: OrchObject }[];
  /** Objects that their Gateways do not need any more. */
  readonly obsolete: readonly ManagedItem[];
  readonly faults: readonly GatewayFault[];
}

/** The Gateways of this daemon. */
export function ownGateways(
  { gateways, classes, namespaces }: ObservedGateways,
  rules: GatewayRules,
): OwnGateway[] {
  const classOf = new Map(classes.map((one) => [one.metadata.name, one]));
  const namespaceOf = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata]));
  return gateways.flatMap((gateway) => {
    const { metadata, spec } = gateway;
    const of = classOf.get(spec.gatewayClassName);
    const namespace = namespaceOf.get(metadata.namespace ?? "");
    if (of === undefined || namespace === undefined) return [];
    const { controllerName } = of.spec;
    const isKnown = controllerName === rules.controllerName ||
      controllerName === WAYPOINT_CONTROLLER || controllerName === EAST_WEST_CONTROLLER;
    const isOwn = isKnown && metadata.deletionTimestamp === undefined &&
      rules.selects(namespace.name, namespace.labels ?? {}) &&
      isOwnRevision(gateway, namespace, rules);
    return isOwn ? [{ gateway, of }] : [];
  });
}

/**
 * The writes. A Gateway that cannot be deployed keeps the objects that it has.
 *
 * @param rendered renderings of earlier passes
 */
export function planOf(
  own: readonly OwnGateway[],
  managed: readonly ManagedItem[],
  context: GatewayContext & Pick<GatewayRules, "waypoints" | "eastWest">,
  rendered: Rendered = new Rendered(),
): GatewayPlan {
  rendered.keep(own.map(({ gateway }) => gateway));
  const wanted: { gateway: GatewayItem; object: OrchObject }[] = [];
  const faults: GatewayFault[] = [];
  const complete = new Set<string>();
  for (const { gateway, of } of own) {
    const disabled = disabledBy(of.spec.controllerName, context);
    if (disabled !== undefined) {
      faults.push({ gateway, ...disabled });
      continue;
    }
    try {
      const objects = isManual(gateway) ? [] : rendered.of(gateway, of, context);
      wanted.push(...objects.map((object) => ({ gateway, object })));
      complete.add(gateway.metadata.uid ?? "");
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      faults.push({ gateway, reason: error.message, remedy: error.remedy });
    }
  }
  const keys = new Set(wanted.map(({ object }) => keyOf(object.kind, object.metadata)));
  const obsolete = managed.filter(({ kind, item: { metadata } }) =>
    metadata.deletionTimestamp === undefined && !keys.has(keyOf(kind, metadata)) &&
    isManaged(metadata) &&
    ownersOf(metadata).some((uid) => complete.has(uid))
  );
  return { wanted, obsolete, faults };
}

/** The reason why Gateways of a controller are not deployed; undefined: they are. */
function disabledBy(
  controllerName: string,
  { waypoints, eastWest }: Pick<GatewayRules, "waypoints" | "eastWest">,
): Omit<GatewayFault, "gateway"> | undefined {
  if (controllerName === WAYPOINT_CONTROLLER && !waypoints) {
    return {
      reason: "waypoints are not enabled",
      remedy: "Set PILOT_ENABLE_AMBIENT=true for the daemon.",
    };
  }
  if (controllerName === EAST_WEST_CONTROLLER && !eastWest) {
    return {
      reason: "gateways between networks are not enabled",
      remedy: "Set PILOT_ENABLE_AMBIENT=true and AMBIENT_ENABLE_MULTI_NETWORK=true for the daemon.",
    };
  }
  return undefined;
}

/** Labels with which the controller marks what it made. */
const MARKS: readonly (string | undefined)[] = [MANAGED, WAYPOINT_MANAGED, EAST_WEST_MANAGED];

function isManaged({ labels = {} }: ListItem["metadata"]): boolean {
  return MARKS.includes(labels[MANAGED_LABEL]);
}

/** A key of an object among those of all kinds. */
export function keyOf(kind: string, { namespace = "", name }: ListItem["metadata"]): string {
  return `${kind} ${objectKey({ namespace, name })}`;
}

/** Ids of the Gateways that own an object. */
export function ownersOf({ ownerReferences = [] }: ListItem["metadata"]): string[] {
  return ownerReferences.filter(({ kind }) => kind === "Gateway").map(({ uid }) => uid);
}
