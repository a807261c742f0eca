/**
 * What-if answers, and their text form.
 *
 * @module
 */
import type { Message } from "../analyze/mod.ts";
import { type FieldChange, renderChanges } from "../diff/mod.ts";
import { rowRef } from "../../mesh/graph/mod.ts";
import { objectKey } from "../../mesh/model/mod.ts";
import type { SchemaProblem } from "../../mesh/schema/mod.ts";
import type { MessageChanges } from "./analysis.ts";
import type { Edit } from "./documents.ts";

/** A what-if answer. */
export interface Prediction {
  /** The published revision that it is based on. */
  readonly revision: number;
  readonly edits: readonly Edit[];
  readonly warnings: readonly SchemaProblem[];
  /** New faults; their last good values would stay. */
  readonly faults: readonly {
    readonly table: string;
    readonly key: string;
    readonly error: string;
  }[];
  /** Likely mistakes that the edit adds and removes. */
  readonly analysis: MessageChanges;
  readonly proxies: { readonly connected: number; readonly concerned: number };
  /** The affected classes of proxies, sorted by first proxy. */
  readonly classes: readonly AffectedClass[];
  /** The changed resources, each once, sorted by the classes that they reach, type and name. */
  readonly changes: readonly ResourcePrediction[];
  /** Field differences are truncated, because there are too many. */
  readonly cut: boolean;
  readonly took: { readonly ms: number; readonly longestSliceMs: number };
}

/** A class of proxies that would be sent something. */
export interface AffectedClass {
  readonly class: {
    readonly role: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  /** The class itself would change. */
  readonly moves: boolean;
  /** `name.namespace`, sorted. */
  readonly proxies: readonly string[];
}

/**
 * One resource that would be added, changed or removed. Classes that hold equal versions before and
 * after share one entry.
 */
export interface ResourcePrediction {
  readonly typeUrl: string;
  readonly name: string;
  /** Indices in {@link Prediction.classes}, ascending. */
  readonly classes: readonly number[];
  readonly change: "added" | "changed" | "removed";
  readonly versions: { readonly before: string | undefined; readonly after: string | undefined };
  readonly bytes: { readonly before: number; readonly after: number };
  /**
   * Proxies of these classes that have requested it. New endpoints and routes are requested after their
   * clusters and listeners arrived.
   */
  readonly holders: number;
  /** Absent if truncated; see {@link Prediction.cut}. */
  readonly fields?: readonly FieldChange[];
}

/** Changes that reach the same classes. */
export interface ChangeGroup {
  readonly classes: readonly AffectedClass[];
  readonly changes: readonly ResourcePrediction[];
}

/** Groups the changes of an answer by the classes that they reach. */
export function groupChanges({ classes, changes }: Prediction): ChangeGroup[] {
  return [...Map.groupBy(changes, (change) => change.classes.join()).values()].map((group) => ({
    classes: group[0]!.classes.map((index) => classes[index]!),
    changes: group,
  }));
}

/**
 * An answer as indented JSON, one change at a time: an edit can change thousands of resources.
 *
 * @param pause yields to other tasks if necessary
 */
export async function predictionJson(
  { changes, ...rest }: Prediction,
  pause: () => Promise<void> | undefined,
): Promise<string> {
  const parts: string[] = [];
  for (const one of changes) {
    parts.push(JSON.stringify(one, undefined, 2));
    await pause();
  }
  const others = JSON.stringify(rest, undefined, 2).slice(0, -"\n}".length);
  return `${others},\n  "changes": [${parts.join(",\n")}]\n}\n`;
}

/** An answer as text. */
export function renderPrediction(prediction: Prediction): string {
  const { edits, warnings, faults, proxies, revision, cut } = prediction;
  const lines = [
    `At revision ${revision}:\n`,
    ...edits.map(({ object, change }) => `  ${object} ${change}\n`),
    ...warnings.map((w) => `  warning ${w.line}:${w.column} ${w.path}: ${w.message}\n`),
    ...faults.map((f) => `  would fail: ${f.table} ${f.key}: ${f.error}\n`),
    ...renderMessages("would add", prediction.analysis.added),
    ...renderMessages("would remove", prediction.analysis.removed),
    `${proxies.concerned} of ${proxies.connected} proxies are affected.\n`,
    ...groupChanges(prediction).flatMap(renderGroup),
  ];
  if (cut) lines.push("\nThere are more differences; those of later resources were left out.\n");
  return lines.join("");
}

/** Messages, those of one sentence together: a subset that two routes use is named once. */
function renderMessages(verb: string, messages: readonly Message[]): string[] {
  return [...Map.groupBy(messages, ({ code, message }) => `${code} ${message}`)].flatMap(
    ([sentence, of]) => [
      `  ${verb} ${sentence}\n`,
      ...of.map(({ object: o, path }) =>
        `    ${o === undefined ? "" : rowRef({ table: o.kind, key: objectKey(o) })} ${path}`
          .trimEnd() +
        "\n"
      ),
    ],
  );
}

/** Maximum of proxies of a class, and of classes of a group, in the text. */
const NAMED = 8;

function renderGroup({ classes, changes }: ChangeGroup): string[] {
  const more = classes.length - NAMED;
  return [
    "\n",
    ...classes.slice(0, NAMED).map(renderClass),
    ...more > 0 ? [`and ${more} more classes\n`] : [],
    ...changes.map(renderChange),
  ];
}

function renderClass({ class: cls, moves, proxies }: AffectedClass): string {
  const labels = Object.entries(cls.labels).map(([key, value]) => `${key}=${value}`).join(",");
  const named = proxies.slice(0, NAMED).join(", ");
  const more = proxies.length > NAMED ? ` and ${proxies.length - NAMED} more` : "";
  return `${cls.role} in ${cls.namespace}${labels && ` (${labels})`}${moves ? ", moves" : ""}: ` +
    `${named}${more}\n`;
}

function renderChange({ typeUrl, name, change, bytes, fields = [] }: ResourcePrediction): string {
  return `  ${shortName(typeUrl)} ${name} ${change} (${bytes.before} → ${bytes.after} bytes)\n` +
    renderChanges(change === "changed" ? fields : [], "    ");
}

/** The last word of a type URL. */
export function shortName(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf(".") + 1);
}

/** Problems as text, one on each line. */
export function renderProblems(problems: readonly SchemaProblem[]): string {
  return problems.map((p) =>
    `${p.file}:${p.line}:${p.column}${p.path && ` ${p.path}`}: ${p.message}. ${p.remedy}\n`
  ).join("");
}
