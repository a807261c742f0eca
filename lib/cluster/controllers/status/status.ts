/**
 * Controller: the status of custom resources: messages of the analysis, and how many proxies use the
 * last change.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import { rowRef } from "../../../mesh/graph/mod.ts";
import { type MessageLevel, type MessageSummary, objectKey } from "../../../mesh/model/mod.ts";
import {
  isConflict,
  isNotFound,
  type ListItem,
  mergePatch,
  type ResourceType,
} from "../../../kit/orch/mod.ts";
import { observe, reconcile, type Term, Wake } from "../reconcile.ts";
import { createPace, type StatusPace } from "./pace.ts";

/** Type of the condition that the controller writes. */
export const RECONCILED = "Reconciled";

/** A condition of a status, as the API has it. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** A message in a status (`AnalysisMessageBase`). */
export interface StatusMessage {
  readonly type: { readonly name: string; readonly code: string };
  readonly level: string;
  readonly documentationUrl: string;
}

/** The status of a custom resource. */
export interface ResourceStatus {
  readonly conditions?: readonly Condition[];
  readonly validationMessages?: readonly StatusMessage[];
  /** The API gives 64-bit numbers as text or number. */
  readonly observedGeneration?: number | string;
}

/** A custom resource, without its specification. */
export interface StatusItem extends ListItem {
  readonly status?: ResourceStatus;
}

/** Proxies that the last change of an object concerns. */
export interface Rollout {
  readonly acknowledged: number;
  readonly rejected: number;
  readonly concerned: number;
}

const LEVELS: Readonly<Record<MessageLevel, string>> = {
  Error: "ERROR",
  Warning: "WARNING",
  Info: "INFO",
};

/**
 * The parts of the status that have to change; `undefined`: none. Conditions of other types stay; without
 * a change of Mesh's condition there are none, because a patch replaces the whole list.
 *
 * @param now RFC 3339
 */
export function statusPatch(
  item: StatusItem,
  { messages, rollout }: {
    readonly messages: readonly MessageSummary[];
    readonly rollout: Rollout | undefined;
  },
  now: string,
): ResourceStatus | undefined {
  const { status = {}, metadata: { generation } } = item;
  const validationMessages = messages.map(statusMessage);
  const conditions = rollout === undefined
    ? status.conditions ?? []
    : withCondition(status.conditions ?? [], reconciledCondition(rollout), now);
  const next: ResourceStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    validationMessages,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const before = {
    ...(status.conditions === undefined ? {} : { conditions: status.conditions }),
    validationMessages: status.validationMessages ?? [],
    ...(status.observedGeneration === undefined
      ? {}
      : { observedGeneration: Number(status.observedGeneration) }),
  };
  if (canonicalJson(before) === canonicalJson(next)) return undefined;
  // An object without anything to say needs no status.
  const isEmpty = validationMessages.length === 0 && conditions.length === 0;
  if (isEmpty && item.status === undefined) return undefined;
  const { conditions: _, ...others } = next;
  return canonicalJson(conditions) === canonicalJson(status.conditions ?? []) ? others : next;
}

/**
 * The patch of an object. Others write conditions of theirs, and a patch replaces the whole list: with
 * conditions it holds for the version that was seen alone.
 */
export function changeOf(
  { metadata: { resourceVersion } }: StatusItem,
  status: ResourceStatus,
): { readonly metadata?: { readonly resourceVersion: string }; readonly status: ResourceStatus } {
  return status.conditions === undefined || resourceVersion === undefined
    ? { status }
    : { metadata: { resourceVersion }, status };
}

function statusMessage({ code, name, level }: MessageSummary): StatusMessage {
  return {
    type: { name, code },
    level: LEVELS[level],
    documentationUrl: `docs/analysis.md#${code.toLowerCase()}`,
  };
}

function reconciledCondition({ acknowledged, rejected, concerned }: Rollout): Condition {
  const done = acknowledged === concerned;
  const refused = rejected === 0 ? "" : `, ${rejected} rejected it`;
  return {
    type: RECONCILED,
    status: done ? "True" : "False",
    reason: done ? "AllProxies" : rejected > 0 ? "Rejected" : "InProgress",
    message: `reconciled: ${acknowledged} of ${concerned} proxies${refused}`,
  };
}

function withCondition(
  conditions: readonly Condition[],
  next: Condition,
  now: string,
): Condition[] {
  const before = conditions.find(({ type }) => type === next.type);
  const time = before?.status === next.status ? before.lastTransitionTime ?? now : now;
  const others = conditions.filter(({ type }) => type !== next.type);
  return [...others, { ...next, lastTransitionTime: time }];
}

/** Inputs of the controller. */
export interface StatusInputs {
  readonly types: readonly ResourceType[];
  /** All messages. */
  readonly messages: () => readonly MessageSummary[];
  /** The last change of an object; `undefined`: it changed nothing at a proxy. */
  readonly rollout: (kind: string, namespace: string, name: string) => Rollout | undefined;
  /** Time between two passes, in milliseconds. */
  readonly everyMs: number;
  readonly pace: StatusPace;
}

/** The contents of the status of an object. */
interface StatusFacts {
  readonly messages: readonly MessageSummary[];
  readonly rollout: Rollout | undefined;
}

/** Finds objects whose status is not right. */
export interface StatusCheck {
  /** See {@link statusPatch}. */
  of(item: StatusItem, facts: StatusFacts, now: string): ResourceStatus | undefined;
}

/** Compares a status again only if the object, its messages or its proxies are others than before. */
export function createStatusCheck(): StatusCheck {
  const right = new WeakMap<StatusItem, StatusFacts>();
  return {
    of(item, facts, now) {
      const before = right.get(item);
      if (before !== undefined && sameFacts(before, facts)) return undefined;
      const patch = statusPatch(item, facts, now);
      if (patch === undefined) right.set(item, facts);
      return patch;
    },
  };
}

function sameFacts(a: StatusFacts, b: StatusFacts): boolean {
  return a.rollout?.acknowledged === b.rollout?.acknowledged &&
    a.rollout?.rejected === b.rollout?.rejected &&
    a.rollout?.concerned === b.rollout?.concerned &&
    a.messages.length === b.messages.length &&
    a.messages.every(({ code, level }, i) =>
      code === b.messages[i]!.code && level === b.messages[i]!.level
    );
}

/** Writes status until the end of the term. */
export async function runStatus(term: Term, inputs: StatusInputs): Promise<void> {
  const wake = new Wake();
  const pace = createPace(inputs.pace);
  const check = createStatusCheck();
  const followed = inputs.types.map((type) => ({
    type,
    items: observe<StatusItem>(term, type, {
      wake,
      convert: ({ metadata: { name, namespace, generation, resourceVersion }, status }) => ({
        metadata: {
          name,
          ...(namespace === undefined ? {} : { namespace }),
          ...(generation === undefined ? {} : { generation }),
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        },
        ...(status === undefined ? {} : { status }),
      }),
    }),
  }));
  const tasks = () => {
    const messages = Map.groupBy(
      inputs.messages(),
      ({ object }) => object && keyOf(object.kind, object.namespace, object.name),
    );
    return followed.flatMap(({ type, items }) =>
      items.values().flatMap((item) => {
        const { name, namespace = "" } = item.metadata;
        const facts = {
          messages: messages.get(keyOf(type.kind, namespace, name)) ?? [],
          rollout: inputs.rollout(type.kind, namespace, name),
        };
        const patch = check.of(item, facts, new Date().toISOString());
        if (patch === undefined) return [];
        return [() =>
          mergePatch(
            term.client,
            type,
            { namespace, name, subresource: "status" },
            changeOf(item, patch),
          ).catch((error) => {
            // After a conflict, the change of the other writer begins a further pass.
            if (!isNotFound(error) && !isConflict(error)) throw error;
          })];
      })
    );
  };
  await reconcile(term, wake, {
    name: "status",
    follows: followed.map(({ items }) => items),
    pass: (current) => pace.run(current, tasks),
    everyMs: inputs.everyMs,
  });
}

function keyOf(kind: string, namespace: string, name: string): string {
  return rowRef({ table: kind, key: objectKey({ namespace, name }) });
}
