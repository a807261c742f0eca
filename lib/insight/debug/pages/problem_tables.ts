/**
 * Tables of rejected documents, warnings and likely mistakes.
 *
 * @module
 */
import type { Message } from "../../analyze/mod.ts";
import { objectKey } from "../../../mesh/model/mod.ts";
import type { ObjectIdentity, SchemaProblem } from "../../../mesh/schema/mod.ts";
import type { SourceProblem } from "../../../mesh/sources/mod.ts";
import { type ComponentChildren, h } from "../../../kit/web/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { longTable, longText } from "./collapse.ts";
import { ago, badge, rowLink } from "./layout.ts";
import { position } from "./positions.ts";

/** Shows rejected documents with remedies. */
export function rejectedDocuments(
  caption: string,
  list: readonly SourceProblem[],
  now: number,
): ComponentChildren {
  return h(
    "div",
    { id: "documents" },
    longTable({
      caption,
      columns: ["Object", "Position", "Field", "Problem", "Remedy", "For", "Instead"],
      rows: list.map((one) => [
        objectCell(one.object),
        position(one),
        one.path,
        one.message,
        longText(one.remedy),
        ago(one.since, now),
        one.lastGoodServes ? "last good version" : "nothing",
      ]),
      empty: "No document is rejected.",
    }),
  );
}

/** Shows warnings about documents in use. */
export function warningTable(list: readonly SchemaProblem[]): ComponentChildren {
  return longTable({
    caption: `Warnings (${list.length})`,
    columns: ["Object", "Position", "Field", "Warning", "Remedy"],
    rows: list.map((one) => [
      objectCell(one.object),
      position(one),
      one.path,
      one.message,
      longText(one.remedy),
    ]),
    empty: "No warning.",
  });
}

/** Shows analysis messages. */
export function mistakeTable(caption: string, list: readonly Message[]): ComponentChildren {
  return h(
    "div",
    { id: "mistakes" },
    longTable({
      caption,
      columns: ["Object", "Position", "Code", "Field", "Message", "Remedy"],
      rows: list.map((one) => [
        objectCell(one.object),
        position(one),
        [badge(
          one.code,
          one.level === "Error" ? "bad" : one.level === "Warning" ? "warn" : "plain",
        )],
        one.path,
        one.message,
        longText(one.remedy),
      ]),
      empty: "No mistake was found.",
    }),
  );
}

/** Rejected documents without a version that serves have a page, too: it shows the rejection. */
function objectCell(object: ObjectIdentity | undefined): ComponentChildren {
  return object === undefined ? "unknown" : rowLink({ table: object.kind, key: objectKey(object) });
}

/** Analysis messages about an object. */
export function mistakesOf(
  { analysis }: Pick<DebugInputs, "analysis">,
  { kind, namespace, name }: ObjectIdentity,
): Message[] {
  return analysis().filter(({ object: o }) =>
    o?.kind === kind && o.namespace === namespace && o.name === name
  );
}
