import { clustersOf } from "./clusters.ts";
import type { Dump } from "./dump.ts";
import { dynamicClusters, dynamicListeners, dynamicRoutes, type Held } from "./held.ts";
import { asText, type Json, type JsonMap } from "./json.ts";
import { listenersOf } from "./listeners.ts";
import { routesOf } from "./routes.ts";

/** The comparison of one type. */
export interface SectionDifference {
  /** `Clusters`, `Listeners` or `Routes`. */
  readonly title: string;
  readonly matches: boolean;
  /**
   * Lines with `-` for what the daemon serves, `+` for what the proxy has, and `!` for what the proxy
   * has received and does not use.
   */
  readonly difference: string;
}

/** Lines that are shown of one resource. */
const MAX_LINES = 20;

/**
 * Compares what a daemon serves to a proxy with what the proxy has, both ways. Resources of the
 * proxy's bootstrap file are no difference; resources from the daemon that it no longer serves, and
 * those that the proxy has received and does not use, are.
 */
export function compareDumps(served: Dump, own: Dump): readonly SectionDifference[] {
  const all = { fqdn: "", direction: "", subset: "", port: 0 };
  const every = { address: "", port: 0, type: "" };
  return [
    section("Clusters", clustersOf(served, all), clustersOf(own, all), dynamicClusters(own)),
    section(
      "Listeners",
      listenersOf(served, every),
      listenersOf(own, every),
      dynamicListeners(own),
    ),
    section("Routes", routesOf(served, ""), routesOf(own, ""), dynamicRoutes(own)),
  ];
}

/** @param held what the proxy has from the daemon, by name */
function section(
  title: string,
  served: readonly JsonMap[],
  own: readonly JsonMap[],
  held: ReadonlyMap<string, Held>,
): SectionDifference {
  const has = new Map(own.map((resource) => [asText(resource.name), resource]));
  const names = new Set(served.map(({ name }) => asText(name)));
  const lines = [
    ...differencesOf(served, (name) => held.has(name) ? held.get(name)!.used : has.get(name), held),
    ...[...held].flatMap(([name, one]) => linesOfHeld(name, one, names.has(name))),
  ];
  return { title, matches: lines.length === 0, difference: lines.map((l) => `${l}\n`).join("") };
}

/** Lines about what the proxy holds, besides the fields that differ. */
function linesOfHeld(name: string, held: Held, isServed: boolean): string[] {
  const { used, warming, rejected, draining } = held;
  const state = used === undefined && warming === undefined ? " (draining)" : "";
  const isGone = !isServed && (used !== undefined || warming !== undefined || draining);
  return [
    ...isGone ? [`+ ${name}: the daemon does not serve it; the proxy has it still${state}`] : [],
    ...warming === undefined ? [] : [
      `! ${name}: warming: the proxy has received it and ${
        used === undefined ? "does not use it yet" : "still uses the version before"
      }`,
    ],
    ...rejected === undefined ? [] : [`! ${name}: the proxy rejected an update: ${rejected}`],
  ];
}

/** Lines about served resources: those that the proxy does not use, and fields that differ. */
function differencesOf(
  served: readonly JsonMap[],
  own: (name: string) => JsonMap | undefined,
  held: ReadonlyMap<string, Held>,
): string[] {
  return served.flatMap((resource) => {
    const name = asText(resource.name);
    const other = own(name);
    if (other === undefined) {
      // A line of its own says that it is warming.
      return held.get(name)?.warming === undefined ? [`- ${name}: the proxy does not have it`] : [];
    }
    const changes = [...differences("", resource, other)];
    const shown = changes.slice(0, MAX_LINES);
    const more = changes.length - shown.length;
    return [
      ...shown.map((line) => `${line.slice(0, 2)}${name}: ${line.slice(2)}`),
      ...more > 0 ? [`  ${name}: ${more} more lines`] : [],
    ];
  });
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
