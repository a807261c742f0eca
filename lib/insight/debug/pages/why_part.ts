/**
 * Provenance of a resource: its objects, and the decisions about it.
 *
 * @module
 */
import { objectKey } from "../../../mesh/model/mod.ts";
import { parseRowRef } from "../../../mesh/graph/mod.ts";
import type { FieldGroup, Provenance } from "../../../mesh/translate/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import { longTable } from "./collapse.ts";
import { h, rowLink } from "./layout.ts";
import { origin } from "./positions.ts";

/** Tables of a resource's provenance. */
export function whyPart({ objects, groups, exact, fault }: Provenance): ComponentChildren {
  return h("section", { "aria-label": "Why" }, [
    longTable({
      caption: "Made from",
      columns: ["Object", "Generation", "Position"],
      rows: objects.map((one) => [
        rowLink({ table: one.kind, key: objectKey(one) }),
        one.generation,
        origin(one.origin),
      ]),
      empty: "No object: it is the same in every mesh.",
    }),
    longTable({
      caption: "Decided by",
      columns: ["Part", "Decision", "Value", "Decided by", "Rejected candidates"],
      rows: groups.map(decision),
      empty: "No decision is recorded for it. All inputs are listed above.",
    }),
    fault === undefined ? null : h("p", { class: "bad" }, `It cannot be computed now: ${fault}`),
    exact || groups.length === 0
      ? null
      : h("p", { class: "warn" }, "The served version differs from the result of these decisions."),
  ]);
}

function decision({ of, group, value, passedOver = [], ...source }: FieldGroup) {
  return [
    of.length === 0 ? "all" : of.join(" › "),
    group,
    value === undefined ? "" : h("code", null, `${value}`),
    decider(source),
    passedOver.map((one) => h("div", null, [decider(one), `: ${one.why}`])),
  ];
}

const WORDS: Readonly<Record<FieldGroup["source"], string>> = {
  object: "an object",
  mesh: "the mesh configuration",
  environment: "the daemon's environment",
  proxy: "the proxy itself",
  "built-in": "built in",
};

function decider(
  { source, object, field }: Pick<FieldGroup, "source" | "object" | "field">,
): ComponentChildren {
  const row = object === undefined ? undefined : parseRowRef(object);
  const who = row === undefined ? WORDS[source] : rowLink(row);
  return field === undefined ? who : [who, " ", h("code", null, field)];
}
