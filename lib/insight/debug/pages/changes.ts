/**
 * Tables of resource differences.
 *
 * @module
 */
import type { FieldChange } from "../../diff/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import { badge, h } from "./layout.ts";

/** Maximum number of fields of one resource on a page; the JSON has all. */
const FIELDS = 12;
/** Maximum number of characters of a value. */
const VALUE = 160;

/** Returns the badge of a change. */
export function changeBadge(change: "added" | "changed" | "removed"): ComponentChildren {
  return badge(change, change === "added" ? "good" : change === "removed" ? "bad" : "plain");
}

/** Lists the differences of a changed resource; added and removed resources have none. */
export function fieldList(
  change: "added" | "changed" | "removed",
  fields: readonly FieldChange[],
): ComponentChildren {
  const listed = change === "changed" ? fields : [];
  const more = listed.length - FIELDS;
  return [
    ...listed.slice(0, FIELDS).map(field),
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
