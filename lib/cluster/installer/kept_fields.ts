/**
 * Fields that others keep after the installation: the number of replicas of a workload with an
 * autoscaler, and what the daemon writes into the configurations of its webhooks. Pure.
 *
 * @module
 */
import type { OrchObject } from "../../kit/orch/mod.ts";
import { MANAGER } from "./plan.ts";

interface Scaled extends OrchObject {
  readonly spec?: { readonly replicas?: number; readonly [field: string]: unknown };
}

interface Autoscaler extends OrchObject {
  readonly spec?: { readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string } };
}

interface Webhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly clientConfig?: { readonly caBundle?: string };
}

interface WebhookConfiguration extends OrchObject {
  readonly webhooks?: readonly Webhook[];
}

/** An entry of `managedFields`. */
interface ManagedEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: FieldSet;
}

interface FieldSet {
  readonly [field: string]: FieldSet;
}

/**
 * The object to apply over one that is there: without the fields that others keep.
 *
 * @param all the objects of the installation, in which autoscalers name their targets
 */
export function withoutKept(
  object: OrchObject,
  live: OrchObject | undefined,
  all: readonly OrchObject[],
): OrchObject {
  if (object.kind.endsWith("WebhookConfiguration")) return withoutWebhookFields(object, live);
  if (!isScaled(object, all)) return object;
  const { replicas: _, ...spec } = (object as Scaled).spec ?? {};
  const current = (live as Scaled | undefined)?.spec?.replicas;
  // To leave out a field that only this manager owns would set it to its default.
  const isOwn = current !== undefined && owns(live, ["f:spec", "f:replicas"]);
  return { ...object, spec: isOwn ? { ...spec, replicas: current } : spec } as OrchObject;
}

/** True if an autoscaler of the installation has the object as its target. */
function isScaled(object: OrchObject, all: readonly OrchObject[]): boolean {
  return all.some((one) => {
    if (one.kind !== "HorizontalPodAutoscaler") return false;
    const { scaleTargetRef } = (one as Autoscaler).spec ?? {};
    return one.metadata.namespace === object.metadata.namespace &&
      scaleTargetRef?.kind === object.kind && scaleTargetRef.name === object.metadata.name;
  });
}

function withoutWebhookFields(object: OrchObject, live: OrchObject | undefined): OrchObject {
  const { webhooks = [] } = object as WebhookConfiguration;
  return {
    ...object,
    webhooks: webhooks.map((webhook) => {
      const place = ["f:webhooks", `k:${JSON.stringify({ name: webhook.name })}`];
      const isForeign = (...path: string[]): boolean =>
        ownersOf(live, [...place, ...path]).some((owner) => owner !== MANAGER) &&
        !owns(live, [...place, ...path]);
      const { failurePolicy, clientConfig, ...rest } = webhook;
      const { caBundle, ...client } = clientConfig ?? {};
      const isKept = !caBundle || isForeign("f:clientConfig", "f:caBundle");
      return {
        ...rest,
        ...(failurePolicy === undefined || isForeign("f:failurePolicy") ? {} : { failurePolicy }),
        clientConfig: isKept ? client : { ...client, caBundle },
      };
    }),
  } as OrchObject;
}

function owns(object: OrchObject | undefined, path: readonly string[]): boolean {
  return ownersOf(object, path).includes(MANAGER);
}

/** The managers that own a field of an object, by the keys of `fieldsV1`. */
export function ownersOf(object: OrchObject | undefined, path: readonly string[]): string[] {
  const entries = (object?.metadata.managedFields ?? []) as readonly ManagedEntry[];
  return entries.filter(({ fieldsV1 }) => {
    let at: FieldSet | undefined = fieldsV1;
    for (const field of path) at = at?.[field];
    return at !== undefined;
  }).map(({ manager = "", operation }) =>
    manager === MANAGER && operation !== "Apply" ? `${manager} (${operation})` : manager
  );
}

/** True if an object was applied by an installation. */
export function isApplied(object: OrchObject): boolean {
  const entries = (object.metadata.managedFields ?? []) as readonly ManagedEntry[];
  return entries.some(({ manager, operation }) => manager === MANAGER && operation === "Apply");
}
