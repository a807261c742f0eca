/**
 * The table of all variables: declared by rooms, without effect, and accepted by programs that do
 * not use them.
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
 * The effect of a variable: `effective`; `unsupported`, because the feature `reason` is not
 * implemented; or `ineffective` in this runtime, because of `reason`.
 */
export type EnvState =
  | { readonly kind: "effective" }
  | { readonly kind: "unsupported"; readonly reason: string }
  | { readonly kind: "ineffective"; readonly reason: string };

/** A default that applies while a boolean variable is true. */
export interface DefaultWhen<T = EnvValue> {
  readonly variable: string;
  readonly default: T;
}

/** One line of the generated reference. */
export interface EnvDescription {
  readonly name: string;
  readonly type: EnvType;
  /** The default as a user would write it; `undefined`: none. */
  readonly default: string | undefined;
  /** The default while another variable is true. */
  readonly defaultWhen?: DefaultWhen<string>;
  /** Bounds of a number or duration. */
  readonly range?: EnvRange;
  /** The values that a string takes, absent when it takes any; of a bool, with words beside true and false. */
  readonly choices?: readonly string[];
  readonly doc: string;
  /** Programs that it is meant for. */
  readonly readers: readonly string[];
  /** Programs that accept it and check its value: the readers and others of the same environment. */
  readonly programs: readonly string[];
  readonly state: EnvState;
}

/** A variable that a program accepts although only another one uses it. */
export interface ListedEnv {
  readonly name: string;
  readonly type: EnvType;
  readonly programs: readonly string[];
  /** Bounds are part of the declaration. */
  readonly range?: undefined;
  /** Words that a bool takes beside true and false, with these. */
  readonly choices?: readonly string[];
}

const described = new Map<string, EnvDescription>();
const listed = new Map<string, ListedEnv>();

/** All descriptions, sorted by name: the source of the generated reference. */
export function declaredEnv(): EnvDescription[] {
  return [...described.values()].sort(byName).map((row) => ({
    ...row,
    programs: union(row.programs, listed.get(row.name)?.programs ?? []),
  }));
}

/**
 * Adds programs that accept variables of other programs and check their values.
 *
 * @throws {MeshError} `env-declared-twice` when a type differs from the declaration.
 */
export function listEnv(rows: readonly ListedEnv[]): void {
  for (const row of rows) {
    agree(row, described.get(row.name));
    listed.set(row.name, row);
  }
}

/**
 * Checks the values of all variables (of those that `program` accepts, if it is given).
 *
 * @throws {MeshError} `env-invalid`; the message lists each invalid value.
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
 * Adds a row. An effective declaration wins over one without effect. Rooms that declare the same
 * variable share a row.
 *
 * @throws {MeshError} `env-declared-twice` when type, default or bounds differ from the existing row.
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
  if (areEffective(next, before) && next.doc !== before.doc) throw describedTwice(next, before);
  const main = next.state.kind === "effective" && before.state.kind !== "effective" ? next : before;
  const other = main === next ? before : next;
  described.set(next.name, {
    ...main,
    readers: other.state.kind === "effective" ? union(main.readers, other.readers) : main.readers,
    programs: union(main.programs, other.programs),
  });
}

/** The default as text. It may depend on another variable. */
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
  // The default of a duration may be text. Parsing checks it.
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

/** Bounds are compared between effective rows only; other rows have none. */
function differ(a: EnvDescription, b: EnvDescription): boolean {
  return a.default !== b.default || a.defaultWhen?.default !== b.defaultWhen?.default ||
    areEffective(a, b) && (a.range?.least !== b.range?.least || a.range?.most !== b.range?.most);
}

function areEffective(a: EnvDescription, b: EnvDescription): boolean {
  return a.state.kind === "effective" && b.state.kind === "effective";
}

/** Pages and help texts would depend on the order in which modules are loaded. */
function describedTwice(next: EnvDescription, before: EnvDescription): MeshError {
  const texts = [before, next].map(({ doc }) => JSON.stringify(doc)).join(" and as ");
  return new MeshError("env-declared-twice", `${next.name} is described as ${texts}`);
}

function declaredTwice(
  next: ListedEnv | EnvDescription,
  before: ListedEnv | EnvDescription,
): MeshError {
  const text = (row: ListedEnv | EnvDescription): string => {
    const type = row.range === undefined
      ? row.type
      : `${row.type} ${boundsOf(row.type, row.range)}`;
    return "default" in row ? `${type} (default ${row.default ?? "none"})` : type;
  };
  return new MeshError(
    "env-declared-twice",
    `${next.name} is declared as ${text(before)} and as ${text(next)}`,
  );
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].sort();
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
