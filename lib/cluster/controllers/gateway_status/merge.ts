/**
 * A status of the Gateway API as it has to be written: with the times of conditions, and with the
 * entries of other controllers.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";

/** A condition as the API has it. */
export interface TimedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

interface Named {
  readonly name: string;
  readonly conditions: readonly TimedCondition[];
}

/** An entry about a parent of a route, or an ancestor of a policy. */
interface Entry {
  readonly parentRef?: unknown;
  readonly ancestorRef?: unknown;
  readonly controllerName: string;
  readonly conditions: readonly TimedCondition[];
}

/** The status of an object of any kind. */
export interface GatewayApiObjectStatus {
  readonly conditions?: readonly TimedCondition[];
  readonly listeners?: readonly Named[];
  readonly parents?: readonly Entry[];
  readonly ancestors?: readonly Entry[];
}

/** The most entries of these lists that the definitions allow. */
const LIMITS = { parents: 32, ancestors: 16 } as const;

/** The parts of a status that Mesh owns. */
export interface OwnParts {
  /** Types of conditions. */
  readonly conditions: ReadonlySet<string>;
  /** Fields, each as a whole. */
  readonly fields: readonly string[];
}

/** The parts that Mesh writes to classes, Gateways and ListenerSets. */
const OWN: OwnParts = {
  conditions: new Set([
    "Accepted",
    "Programmed",
    "ResolvedRefs",
    "SupportedVersion",
    "InsecureFrontendValidationMode",
  ]),
  fields: ["addresses", "listeners", "supportedFeatures", "attachedListenerSets"],
};

export interface Merging {
  /** The name of the controller in the entries that are its own. */
  readonly controllerName: string;
  /** Default: those of the Gateway API. */
  readonly own?: OwnParts;
  /** RFC 3339. */
  readonly now: string;
}

/**
 * The changes of a status, as a merge patch: fields that are removed are null. Undefined: none.
 *
 * @param before the status as it was read
 * @param wanted the status of Mesh, without times
 */
export function statusChange(
  before: GatewayApiObjectStatus,
  wanted: GatewayApiObjectStatus,
  merging: Merging,
): Record<string, unknown> | undefined {
  const next = merged(before, wanted, merging);
  const changed = Object.entries(next).filter(([field, value]) =>
    canonicalJson(value) !== canonicalJson((before as Record<string, unknown>)[field] ?? null)
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function merged(
  before: GatewayApiObjectStatus,
  wanted: GatewayApiObjectStatus,
  merging: Merging,
): Record<string, unknown> {
  if (wanted.parents !== undefined) {
    return listed("parents", before.parents, wanted.parents, merging);
  }
  if (wanted.ancestors !== undefined) {
    return listed("ancestors", before.ancestors, wanted.ancestors, merging);
  }
  const { own: parts = OWN } = merging;
  const others = (before.conditions ?? []).filter(({ type }) => !parts.conditions.has(type));
  const own = timed(before.conditions, wanted.conditions ?? [], merging.now);
  const fields = parts.fields.map((field) => {
    const value = (wanted as Record<string, unknown>)[field];
    return [field, field === "listeners" ? listeners(before, wanted, merging.now) : value ?? null];
  });
  const conditions = [...others, ...own];
  // Without conditions before and after, nothing has to be written.
  const none = conditions.length === 0 && before.conditions === undefined;
  return { ...Object.fromEntries(fields), ...(none ? {} : { conditions }) };
}

function listeners(
  before: GatewayApiObjectStatus,
  { listeners }: GatewayApiObjectStatus,
  now: string,
): readonly Named[] | null {
  if (listeners === undefined || listeners.length === 0) return null;
  const known = new Map(before.listeners?.map(({ name, conditions }) => [name, conditions]));
  return listeners.map((one) => ({
    ...one,
    conditions: timed(known.get(one.name), one.conditions, now),
  }));
}

/** The entries of other controllers, then those of Mesh. */
function listed(
  field: "parents" | "ancestors",
  before: readonly Entry[] = [],
  wanted: readonly Entry[],
  { controllerName, now }: Merging,
): Record<string, unknown> {
  const others = before.filter((one) => one.controllerName !== controllerName);
  const known = new Map(
    before.filter((one) => one.controllerName === controllerName)
      .map((one) => [refOf(one), one.conditions]),
  );
  const own = wanted.map((one) => ({
    ...one,
    conditions: timed(known.get(refOf(one)), one.conditions, now),
  }));
  const entries = [...others, ...own].slice(0, LIMITS[field]);
  // Without entries before and after, nothing has to be written.
  return entries.length === 0 && before.length === 0 ? {} : { [field]: entries };
}

function refOf({ parentRef, ancestorRef }: Entry): string {
  return canonicalJson(parentRef ?? ancestorRef ?? null);
}

/** Conditions with the times of their last changes of status. */
function timed(
  before: readonly TimedCondition[] | undefined,
  wanted: readonly TimedCondition[],
  now: string,
): TimedCondition[] {
  return wanted.map((condition) => {
    const known = before?.find(({ type }) => type === condition.type);
    const isSame = known?.status === condition.status;
    return { ...condition, lastTransitionTime: isSame ? known?.lastTransitionTime ?? now : now };
  });
}
