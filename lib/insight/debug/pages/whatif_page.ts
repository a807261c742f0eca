/**
 * Page of what-if queries.
 *
 * @module
 */
import { showRow } from "../../../mesh/graph/mod.ts";
import { objectKey } from "../../../mesh/model/mod.ts";
import type { Message } from "../../analyze/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import {
  type AffectedClass,
  type Answer,
  type ChangeGroup,
  groupChanges,
  type Prediction,
  type ResourcePrediction,
  shortName,
} from "../../whatif/mod.ts";
import { changeBadge, fieldList } from "./changes.ts";
import { debugPage, type Shell } from "./frame.ts";
import { position } from "./positions.ts";
import {
  badge,
  count,
  h,
  proxyLink,
  refLink,
  rowLink,
  size,
  span,
  table,
  tiles,
} from "./layout.ts";

/** The fields of the form. */
export interface Typed {
  readonly documents: string;
  /** Names of objects to remove, one per line. */
  readonly removals: string;
}

/** Renders the form, and the result of the query. */
export function whatIfPage(
  shell: Shell,
  typed: Typed,
  answer: Answer | undefined,
): Response {
  return debugPage(shell, {
    title: "What if",
    at: "/debug/whatif",
    forms: true,
    // What is typed into the form would be lost.
    refresh: false,
    status: answer?.kind === "invalid" ? 400 : answer?.kind === "busy" ? 429 : 200,
    body: [
      h(
        "p",
        { class: "mute" },
        "Computes the effect of an edit without applying it: proxies are sent nothing.",
      ),
      answer === undefined ? null : shownAnswer(answer),
      h("form", { method: "post", action: "/debug/whatif" }, [
        h("label", { class: "wide" }, [
          "YAML documents to add or replace",
          h("textarea", { name: "documents", accessKey: "f", spellcheck: false }, typed.documents),
        ]),
        h("label", { class: "wide" }, [
          "Objects to remove, one per line, as Kind/namespace/name",
          h("textarea", { name: "remove", style: "min-height: 3.5rem" }, typed.removals),
        ]),
        h("button", { type: "submit" }, "Compute"),
      ]),
    ],
  });
}

function shownAnswer(answer: Answer): ComponentChildren {
  switch (answer.kind) {
    case "predicted":
      return predicted(answer.prediction);
    case "busy":
      return h("p", { class: "bad" }, "Another query is running. Try again in a moment.");
    case "invalid":
      return table({
        caption: "The query is invalid",
        columns: ["Position", "Field", "Problem", "Remedy"],
        rows: answer.problems.map((p) => [
          position(p),
          p.path,
          p.message,
          p.remedy,
        ]),
      });
  }
}

function messageTable(caption: string, messages: readonly Message[]): ComponentChildren {
  if (messages.length === 0) return null;
  return table({
    caption,
    columns: ["Code", "Object", "Field", "Message", "Remedy"],
    rows: messages.map(({ code, object: o, path, message, remedy }) => [
      code,
      o === undefined ? "" : rowLink({ table: o.kind, key: objectKey(o) }),
      path,
      message,
      remedy,
    ]),
  });
}

function predicted(prediction: Prediction): ComponentChildren {
  const { edits, faults, proxies, revision, took, cut } = prediction;
  const groups = groupChanges(prediction).map(oneGroup);
  return h("section", { "aria-label": "Answer" }, [
    tiles([
      ["affected proxies", `${proxies.concerned} of ${proxies.connected}`],
      ["failing computations", faults.length, undefined, faults.length > 0],
      ["revision", revision],
      ["computation time", span(took.ms)],
    ]),
    table({
      caption: "Edits",
      columns: ["Object", "Change"],
      rows: edits.map(({ object, change }) => [refLink(object), change]),
    }),
    messageTable("Likely mistakes that the edit adds", prediction.analysis.added),
    messageTable("Likely mistakes that the edit removes", prediction.analysis.removed),
    faults.length === 0 ? null : table({
      caption: "Failing computations",
      columns: ["Computation", "Error"],
      rows: faults.map((f) => [showRow(f), f.error]),
    }),
    ...groups.slice(0, GROUPS),
    groups.length > GROUPS
      ? h("details", null, [
        h("summary", null, `${groups.length - GROUPS} more groups of proxies`),
        ...groups.slice(GROUPS),
      ])
      : null,
    cut ? h("p", { class: "warn" }, "The list of differences is incomplete.") : null,
  ]);
}

/** Groups of proxies that are shown without being opened. */
const GROUPS = 4;

/** Maximum number of named proxies of a class. */
const NAMED = 6;

function oneGroup({ classes, changes }: ChangeGroup): ComponentChildren {
  const proxies = classes.reduce((sum, one) => sum + one.proxies.length, 0);
  return h("section", null, [
    h("h2", null, [
      `${count(changes.length, "change", "changes")} for `,
      badge(count(proxies, "proxy", "proxies"), "plain"),
    ]),
    table({
      caption: count(classes.length, "class", "classes"),
      columns: ["Class", "Labels", "Proxies"],
      rows: classes.slice(0, ROWS).map(classRow),
    }),
    moreRows(classes.length),
    table({
      caption: count(changes.length, "resource", "resources"),
      columns: ["Type", "Resource", "Change", "Size", "Fields"],
      rows: changes.slice(0, ROWS).map(changeRow),
    }),
    moreRows(changes.length),
  ]);
}

function moreRows(length: number): ComponentChildren {
  return length > ROWS
    ? h("p", { class: "warn" }, `${length - ROWS} more are in the JSON answer.`)
    : null;
}

function classRow({ class: cls, proxies, moves }: AffectedClass): ComponentChildren[] {
  const labels = Object.entries(cls.labels).map(([key, value]) => `${key}=${value}`).join(" ");
  const more = proxies.length - NAMED;
  return [
    [`${cls.role} in ${cls.namespace} `, moves ? badge("changes its class", "warn") : null],
    labels || "none",
    [
      ...proxies.slice(0, NAMED).flatMap((id) => [proxyLink(id), " "]),
      more > 0 ? `and ${more} more` : null,
    ],
  ];
}

/** Maximum number of rows of a table; the JSON answer has all. */
const ROWS = 100;

function changeRow(
  { typeUrl, name, change, bytes, fields = [] }: ResourcePrediction,
): ComponentChildren[] {
  return [
    shortName(typeUrl),
    name,
    changeBadge(change),
    `${size(bytes.before)} → ${size(bytes.after)}`,
    fieldList(change, fields),
  ];
}
