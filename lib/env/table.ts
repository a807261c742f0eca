/**
 * The table of all variables: what rooms declare, what is known and does not act, and which
 * programs take a variable without a use of their own for it.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { envText } from "./source.ts";
import {
  boundsOf,
  type EnvRange,
  type EnvType,
  type EnvValue,
  parseValue,
  valueText,
} from "./value.ts";

/**
 * Whether setting a variable does something: it acts; it comes with `reason`, a part that is not
 * there yet; or there is no counterpart in this runtime, because of `reason`.
 */
export type EnvState =
  | { readonly kind: "acts" }
  | { readonly kind: "later"; readonly reason: string }
  | { readonly kind: "none"; readonly reason: string };

/** Another default, which holds while a boolean variable is true. */
export interface DefaultWhen<T = EnvValue> {
  readonly variable: string;
  readonly default: T;
}

/** One line of the generated reference. */
export interface EnvDescription {
  readonly name: string;
  readonly type: EnvType;
  /** Default as a user would write it; `undefined` when there is none. */
  readonly default: string | undefined;
  /** The default while another variable is true, where that is part of its meaning. */
  readonly defaultWhen?: DefaultWhen<string>;
  /** Bounds of a number or duration, where it has any. */
  readonly range?: EnvRange;
  /** The only values of a text, where it is one of a few. */
  readonly choices?: readonly string[];
  readonly doc: string;
  /** Programs in which it acts, or will. */
  readonly readers: readonly string[];
  /** Programs that take it and check its value: the readers, and those that share their settings. */
  readonly programs: readonly string[];
  readonly state: EnvState;
}

/** A variable that a program takes although it acts in another one only. */
export interface ListedEnv {
  readonly name: string;
  readonly type: EnvType;
  readonly programs: readonly string[];
  /** Its bounds are known where it acts. */
  readonly range?: undefined;
  readonly choices?: undefined;
}

const described = new Map<string, EnvDescription>();
const listed = new Map<string, ListedEnv>();

/** All descriptions so far, sorted by name: the source of the generated reference. */
export function declaredEnv(): EnvDescription[] {
  return [...described.values()].sort(byName).map((row) => ({
    ...row,
    programs: union(row.programs, listed.get(row.name)?.programs ?? []),
  }));
}

/**
 * Names programs that take variables of others, so that a value is refused wherever it is set.
 *
 * @throws {MeshError} `env-declared-twice` when a type is not that of the declaration.
 */
export function listEnv(rows: readonly ListedEnv[]): void {
  for (const row of rows) {
    agree(row, described.get(row.name));
    listed.set(row.name, row);
  }
}

/**
 * Checks every variable in the table (those that `program` takes, if it is given), so that a bad
 * value stops a program at its start and not hours later.
 *
 * @throws {MeshError} `env-invalid`; with several bad values the message lists each.
 */
export function validateEnv(program?: string): void {
  const faults: MeshError[] = [];
  const rows = [
    ...declaredEnv(),
    ...[...listed.values()].filter(({ name }) => !described.has(name)),
  ];
  for (const { name, type, programs, range, choices } of rows.sort(byName)) {
    if (program !== undefined && !programs.includes(program)) continue;
    const text = envText(name);
    if (text === undefined || text === "") continue;
    try {
      parseValue(name, type, text, { range, choices });
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      faults.push(error);
    }
  }
  const [first] = faults;
  if (first === undefined) return;
  throw new MeshError("env-invalid", faults.map((fault) => fault.message).join("; "), {
    remedy: first.remedy,
    cause: first,
  });
}

/**
 * Adds a row. A variable that acts somewhere is one that acts, whatever else is said of it; two
 * rooms in which it acts share a row.
 *
 * @throws {MeshError} `env-declared-twice` when type, default or bounds differ from the row that is there.
 */
export function describeEnv(next: EnvDescription): void {
  const before = described.get(next.name);
  agree(next, listed.get(next.name));
  if (before === undefined) {
    described.set(next.name, next);
    return;
  }
  agree(next, before);
  if (differ(next, before)) throw declaredTwice(next, before);
  const main = next.state.kind === "acts" && before.state.kind !== "acts" ? next : before;
  const other = main === next ? before : next;
  described.set(next.name, {
    ...main,
    readers: other.state.kind === "acts" ? union(main.readers, other.readers) : main.readers,
    programs: union(main.programs, other.programs),
  });
}

/** The default in force, which may depend on another variable; as text. */
export function defaultInForce(
  row: Pick<EnvDescription, "default" | "defaultWhen">,
): string | undefined {
  const when = row.defaultWhen;
  if (when === undefined) return row.default;
  const text = envText(when.variable) ?? "";
  const applies = text !== "" && parseValue(when.variable, "bool", text) === true;
  return applies ? when.default : row.default;
}

/** Both defaults as text. */
export function defaultTexts(
  name: string,
  type: EnvType,
  value: EnvValue | undefined,
  when: DefaultWhen | undefined,
): Pick<EnvDescription, "default" | "defaultWhen"> {
  // That of a duration may be written as text, which is read here, so that it is checked too.
  const text = (each: EnvValue): string =>
    valueText(type, typeof each === "string" ? parseValue(name, type, each) : each);
  return {
    default: value === undefined ? undefined : text(value),
    ...when && { defaultWhen: { variable: when.variable, default: text(when.default) } },
  };
}

function agree(next: ListedEnv | EnvDescription, before: ListedEnv | EnvDescription | undefined) {
  if (before !== undefined && before.type !== next.type) throw declaredTwice(next, before);
}

/** Bounds count between rooms; a row of what does not act has none. */
function differ(a: EnvDescription, b: EnvDescription): boolean {
  const acting = a.state.kind === "acts" && b.state.kind === "acts";
  return a.default !== b.default || a.defaultWhen?.default !== b.defaultWhen?.default ||
    acting && (a.range?.least !== b.range?.least || a.range?.most !== b.range?.most);
}

function declaredTwice(
  next: ListedEnv | EnvDescription,
  before: ListedEnv | EnvDescription,
): MeshError {
  const said = (row: ListedEnv | EnvDescription): string => {
    const type = row.range === undefined
      ? row.type
      : `${row.type} ${boundsOf(row.type, row.range)}`;
    return "default" in row ? `${type} (default ${row.default ?? "none"})` : type;
  };
  return new MeshError(
    "env-declared-twice",
    `${next.name} is declared as ${said(before)} and as ${said(next)}`,
  );
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].sort();
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
