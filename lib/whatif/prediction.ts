/**
 * What-if answers, and their text form.
 *
 * @module
 */
import { type FieldChange, renderChanges } from "../diff/mod.ts";
import type { SchemaProblem } from "../schema/mod.ts";
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
  readonly proxies: { readonly connected: number; readonly concerned: number };
  /** One entry for each affected class of proxies, sorted by first proxy. */
  readonly classes: readonly ClassPrediction[];
  /** Field differences are truncated, because there are too many. */
  readonly cut: boolean;
  readonly took: { readonly ms: number; readonly longestSliceMs: number };
}

/** The answer for the proxies of one class. */
export interface ClassPrediction {
  readonly class: {
    readonly role: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  /** The class itself would change. */
  readonly moves: boolean;
  /** `name.namespace`, sorted. */
  readonly proxies: readonly string[];
  readonly types: readonly TypePrediction[];
}

/** Changes of one resource type. */
export interface TypePrediction {
  readonly typeUrl: string;
  readonly resources: readonly ResourcePrediction[];
}

/** One resource that would be added, changed or removed. */
export interface ResourcePrediction {
  readonly name: string;
  readonly change: "added" | "changed" | "removed";
  readonly versions: { readonly before: string | undefined; readonly after: string | undefined };
  readonly bytes: { readonly before: number; readonly after: number };
  /**
   * Proxies of the class that have requested it. New endpoints and routes are requested after their
   * clusters and listeners arrived.
   */
  readonly holders: number;
  /** Absent if truncated; see {@link Prediction.cut}. */
  readonly fields?: readonly FieldChange[];
}

/**
 * An answer as indented JSON, one class at a time: an edit that affects all proxies has megabytes.
 *
 * @param pause yields to other tasks if necessary
 */
export async function predictionJson(
  { classes, ...rest }: Prediction,
  pause: () => Promise<void> | undefined,
): Promise<string> {
  const parts: string[] = [];
  for (const one of classes) {
    parts.push(JSON.stringify(one, undefined, 2));
    await pause();
  }
  const others = JSON.stringify(rest, undefined, 2).slice(0, -"\n}".length);
  return `${others},\n  "classes": [${parts.join(",\n")}]\n}\n`;
}

/** An answer as text. */
export function renderPrediction(prediction: Prediction): string {
  const { edits, warnings, faults, proxies, classes, revision, cut } = prediction;
  const lines = [
    `At revision ${revision}:\n`,
    ...edits.map(({ object, change }) => `  ${object} ${change}\n`),
    ...warnings.map((w) => `  warning ${w.line}:${w.column} ${w.path}: ${w.message}\n`),
    ...faults.map((f) => `  would fail: ${f.table} ${f.key}: ${f.error}\n`),
    `${proxies.concerned} of ${proxies.connected} proxies are affected.\n`,
    ...classes.flatMap(renderClass),
  ];
  if (cut) lines.push("\nThere are more differences; those of later resources were left out.\n");
  return lines.join("");
}

/** Maximum of proxies in the text of a class. */
const NAMED = 8;

function renderClass({ class: cls, moves, proxies, types }: ClassPrediction): string[] {
  const labels = Object.entries(cls.labels).map(([key, value]) => `${key}=${value}`).join(",");
  const named = proxies.slice(0, NAMED).join(", ");
  const more = proxies.length > NAMED ? ` and ${proxies.length - NAMED} more` : "";
  return [
    `\n${cls.role} in ${cls.namespace}${labels && ` (${labels})`}${moves ? ", moves" : ""}: ` +
    `${named}${more}\n`,
    ...types.flatMap(({ typeUrl, resources }) =>
      resources.map((r) =>
        `  ${shortName(typeUrl)} ${r.name} ${r.change} (${r.bytes.before} → ${r.bytes.after} ` +
        `bytes)\n${renderChanges(r.change === "changed" ? r.fields ?? [] : [], "    ")}`
      )
    ),
  ];
}

function shortName(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf(".") + 1);
}

/** Problems as text, one on each line. */
export function renderProblems(problems: readonly SchemaProblem[]): string {
  return problems.map((p) =>
    `${p.file}:${p.line}:${p.column}${p.path && ` ${p.path}`}: ${p.message}. ${p.remedy}\n`
  ).join("");
}
