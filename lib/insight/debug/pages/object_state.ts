/**
 * State of an object: its last edit was rejected, proxies reject a resource of it, or it has likely
 * mistakes.
 *
 * @module
 */
import { objectKey } from "../../../mesh/model/mod.ts";
import type { ConfigObject } from "../../../mesh/model/mod.ts";
import { rowRef } from "../../../mesh/graph/mod.ts";
import type { Quarantined } from "../../../mesh/xds/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { rejectionsOf } from "../rejections.ts";
import { contradiction } from "../troubles.ts";
import { longText } from "./collapse.ts";
import { ago, badge, count, h, type Tone } from "./layout.ts";
import { mistakesOf, rejectedDocuments } from "./problem_tables.ts";

type Meta = ConfigObject["meta"];

/** States of objects, the worst first. */
export const OBJECT_STATES = [
  "edit rejected",
  "rejected by proxies",
  "mistakes",
  "in use",
] as const;

export type ObjectState = typeof OBJECT_STATES[number];

const TONES: Readonly<Record<ObjectState, Tone>> = {
  "edit rejected": "bad",
  "rejected by proxies": "bad",
  mistakes: "warn",
  "in use": "plain",
};

/** Returns the worst state of an object. */
export function objectState(inputs: DebugInputs, meta: Meta): ObjectState {
  if (rejectionsOf(inputs, meta).length > 0) return "edit rejected";
  if (quarantineOf(inputs, meta).length > 0) return "rejected by proxies";
  return mistakesOf(inputs, meta).length > 0 ? "mistakes" : "in use";
}

/** Shows a state. */
export function stateBadge(state: ObjectState): ComponentChildren {
  return state === "in use" ? state : [badge(state, TONES[state])];
}

/** The quarantined resources whose likeliest cause is an object in its present generation. */
function quarantineOf({ quarantined }: DebugInputs, meta: Meta): Quarantined[] {
  const object = rowRef({ table: meta.kind, key: objectKey(meta) });
  return quarantined().filter(({ culprits: [first] }) =>
    first?.object === object && (first.generation ?? meta.generation) === meta.generation
  );
}

/** Says that proxies reject resources of the object. */
export function quarantineBanner(inputs: DebugInputs, meta: Meta): ComponentChildren {
  const found = quarantineOf(inputs, meta);
  const [first] = found;
  if (first === undefined) return null;
  const resources = count(found.length, "resource", "resources");
  const contradicted = contradiction(first);
  return h("section", { "aria-label": "Rejected by proxies" }, [
    h("p", { class: "banner bad", role: "alert" }, [
      `Proxies have rejected ${resources} of generation ${meta.generation} for `,
      ago(first.since, inputs.now()),
      ". ",
      first.lastGood === undefined
        ? "They are served nothing instead. "
        : "They are served the last accepted version. ",
      contradicted === undefined ? null : `${contradicted}. `,
      h("a", { href: "/debug/quarantine" }, "Quarantine"),
    ]),
    h("p", null, [`${first.name}: `, longText(first.message, "bad")]),
  ]);
}

/** Says that the last edit was rejected, and which version serves. */
export function rejectedBanner(inputs: DebugInputs, meta: Meta): ComponentChildren {
  const rejected = rejectionsOf(inputs, meta);
  if (rejected.length === 0) return null;
  const now = inputs.now();
  const [last] = inputs.receipts.of(meta.kind, meta.namespace, meta.name);
  const published = last?.generation === meta.generation ? last.publishedAt : undefined;
  const since = rejected.find((one) => one.since !== undefined)?.since;
  return h("section", { "aria-label": "Rejected edit" }, [
    h("p", { class: "banner bad", role: "alert" }, [
      "The last edit of this object was rejected",
      since === undefined ? null : [" ", ago(since, now), " ago"],
      `. Generation ${meta.generation} keeps serving`,
      published === undefined ? null : [", published ", ago(published, now), " ago"],
      ".",
    ]),
    rejectedDocuments(`Rejected edit (${rejected.length})`, rejected, now),
  ]);
}
