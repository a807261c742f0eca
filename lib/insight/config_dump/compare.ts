import { clustersOf } from "./clusters.ts";
import type { Dump } from "./dump.ts";
import { asText, type Json, type JsonMap } from "./json.ts";
import { listenersOf } from "./listeners.ts";
import { routesOf } from "./routes.ts";

/** The comparison of one type. */
export interface SectionDifference {
  /** `Clusters`, `Listeners` or `Routes`. */
  readonly title: string;
  readonly matches: boolean;
  /** Lines with `-` for what the daemon serves and `+` for what the proxy has. */
  readonly difference: string;
}

/** Lines that are shown of one resource. */
const MAX_LINES = 20;

/**
 * Compares what a daemon serves to a proxy with what the proxy has. Resources that only the proxy has,
 * such as those of its bootstrap file, are no difference.
 */
export function compareDumps(served: Dump, own: Dump): readonly SectionDifference[] {
  const all = { fqdn: "", direction: "", subset: "", port: 0 };
  const every = { address: "", port: 0, type: "" };
  return [
    section("Clusters", clustersOf(served, all), clustersOf(own, all)),
    section("Listeners", listenersOf(served, every), listenersOf(own, every)),
    section("Routes", routesOf(served, ""), routesOf(own, "")),
  ];
}

function section(
  title: string,
  served: readonly JsonMap[],
  own: readonly JsonMap[],
): SectionDifference {
  const has = new Map(own.map((resource) => [asText(resource.name), resource]));
  const lines = served.flatMap((resource) => {
    const name = asText(resource.name);
    const other = has.get(name);
    if (other === undefined) return [`- ${name}: the proxy does not have it`];
    const changes = [...differences("", resource, other)];
    const shown = changes.slice(0, MAX_LINES);
    const more = changes.length - shown.length;
    return [
      ...shown.map((line) => `${line.slice(0, 2)}${name}: ${line.slice(2)}`),
      ...more > 0 ? [`  ${name}: ${more} more lines`] : [],
    ];
  });
  return { title, matches: lines.length === 0, difference: lines.map((l) => `${l}\n`).join("") };
}

/** Lines about fields in which two values differ. */
function* differences(
  path: string,
  before: Json | undefined,
  after: Json | undefined,
): Generator<string> {
  if (before === after) return;
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    const [left, right] = [before as JsonMap, after as JsonMap];
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (name === "@type" && path === "") continue;
      const inner = Array.isArray(before)
        ? `${path}[${name}]`
        : path === ""
        ? name
        : `${path}.${name}`;
      yield* differences(inner, left[name], right[name]);
    }
    return;
  }
  if (before !== undefined) yield `- ${path}: ${JSON.stringify(before)}`;
  if (after !== undefined) yield `+ ${path}: ${JSON.stringify(after)}`;
}

function isContainer(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null;
}
