/**
 * Differences of resources, as they stand in tables.
 *
 * @module
 */
import type { FieldChange } from "../../diff/mod.ts";
import type { ComponentChildren } from "../../web/mod.ts";
import { badge, h } from "./layout.ts";

/** Fields shown of one resource; the JSON has them all. */
const FIELDS = 12;
/** Characters shown of a value. */
const VALUE = 160;

/** The word for what happened to a resource. */
export function changeBadge(change: "added" | "changed" | "removed"): ComponentChildren {
  return badge(change, change === "added" ? "good" : change === "removed" ? "bad" : "plain");
}

/** What differs in a resource that changed; of one that came or went there is nothing to compare. */
export function fieldList(
  change: "added" | "changed" | "removed",
  fields: readonly FieldChange[],
): ComponentChildren {
  const told = change === "changed" ? fields : [];
  const more = told.length - FIELDS;
  return [
    ...told.slice(0, FIELDS).map(field),
    more > 0 ? h("div", { class: "mute" }, `and ${more} more`) : null,
  ];
}

function field({ path, before, after }: FieldChange): ComponentChildren {
  return h("div", null, [
    h("code", null, `${path}: `),
    before === undefined ? "nothing" : h("del", null, h("code", null, short(before))),
    " → ",
    after === undefined ? "nothing" : h("ins", null, h("code", null, short(after))),
  ]);
}

function short(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= VALUE ? text : `${text.slice(0, VALUE - 1)}…`;
}
