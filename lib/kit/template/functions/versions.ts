/**
 * Functions of templates for semantic versions: `semver`, and `semverCompare` with the constraints
 * that charts use (`>=1.28`, `~1.2`, `^2.0.1`, `1.x`, `1.2 - 1.4`, lists with commas or spaces,
 * `||`).
 *
 * @module
 */
import { ValueFault } from "../value_fault.ts";
import type { TemplateFunction } from "../execute.ts";
import { structureOf, textOf } from "../values.ts";

interface Version {
  /** Major, minor and patch. */
  readonly parts: readonly [number, number, number];
  /** Empty: a release. */
  readonly prerelease: string;
  readonly metadata: string;
}

const VERSION = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;
const PART = String
  .raw`v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?`;
const CONSTRAINT = new RegExp(String.raw`^(==?|!=|>=?|<=?|=>|=<|~>?|\^)?\s*(${PART})[\s,]*`);
const HYPHEN = new RegExp(String.raw`(${PART})\s+-\s+(${PART})`, "g");

export const VERSION_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  semver: (text) => {
    const { parts: [major, minor, patch], prerelease, metadata } = versionOf(textOf(text));
    return structureOf({ major, minor, patch, prerelease, metadata, original: textOf(text) });
  },
  semverCompare: (constraint, version) => {
    const given = versionOf(textOf(version));
    return textOf(constraint).split("||").some((all) => matchesAll(all, given));
  },
};

function versionOf(text: string): Version {
  const found = VERSION.exec(text.trim());
  if (found === null) throw new ValueFault(`${JSON.stringify(text)} is not a semantic version`);
  const [, major, minor = "0", patch = "0", prerelease = "", metadata = ""] = found;
  return { parts: [Number(major), Number(minor), Number(patch)], prerelease, metadata };
}

function matchesAll(text: string, version: Version): boolean {
  let rest = text.replaceAll(HYPHEN, ">=$1 <=$2").trim();
  let matches = true;
  do {
    const [whole, operator = "=", wanted] = CONSTRAINT.exec(rest) ?? [];
    if (whole === undefined) {
      throw new ValueFault(`${JSON.stringify(text)} is not a constraint of versions`);
    }
    matches = satisfies(version, operator, wanted!) && matches;
    rest = rest.slice(whole.length);
  } while (rest !== "");
  return matches;
}

function satisfies(version: Version, operator: string, wanted: string): boolean {
  const [numbers = "", prerelease = ""] = wanted.replace(/^v|\+.*$/g, "").split(/-(.*)/s);
  // Prereleases are only for those who name one.
  if (version.prerelease !== "" && prerelease === "") return false;
  const given = numbers.split(".").map(Number);
  const wild = given.findIndex(Number.isNaN);
  const known = wild < 0 ? given : given.slice(0, wild);
  const least: Version = {
    parts: [known[0] ?? 0, known[1] ?? 0, known[2] ?? 0],
    prerelease,
    metadata: "",
  };
  const order = compare(version, least);
  const isWhole = known.length === 3;
  const isBelow = (position: number) => isBelowNext(version, least, position);
  const isWithin = isWhole ? order === 0 : order >= 0 && isBelow(known.length - 1);
  switch (operator) {
    case "!=":
      return !isWithin;
    case ">":
      return isWhole ? order > 0 : order >= 0 && !isBelow(known.length - 1);
    case ">=":
    case "=>":
      return order >= 0;
    case "<":
      return order < 0;
    case "<=":
    case "=<":
      return isWhole ? order <= 0 : isBelow(known.length - 1);
    case "~":
    case "~>":
      return order >= 0 && isBelow(Math.min(1, known.length - 1));
    case "^":
      return order >= 0 && isBelow(firstNonZero(known));
    default:
      return isWithin;
  }
}

/** Position of the part that `^` keeps: the first that is not 0, or the last one given. */
function firstNonZero(known: readonly number[]): number {
  const found = known.findIndex((part) => part > 0);
  return found < 0 ? known.length - 1 : found;
}

/** True below the next version at a position: below 2.0.0 for 1.x at 0. Below position 0 there is no bound. */
function isBelowNext({ parts }: Version, { parts: least }: Version, position: number): boolean {
  if (position < 0) return true;
  for (let i = 0; i < position; i++) {
    if (parts[i] !== least[i]) return parts[i]! < least[i]!;
  }
  return parts[position]! <= least[position]!;
}

/** The order of Semantic Versioning 2.0.0, section 11. */
function compare(a: Version, b: Version): number {
  for (const [i, part] of a.parts.entries()) {
    if (part !== b.parts[i]) return part - b.parts[i]!;
  }
  if (a.prerelease === b.prerelease) return 0;
  if (a.prerelease === "") return 1;
  if (b.prerelease === "") return -1;
  const [left, right] = [a.prerelease.split("."), b.prerelease.split(".")];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = compareIdentifiers(left[i], right[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const [left, right] = [a, b].map((one) => /^\d+$/.test(one));
  if (left && right) return Number(a) - Number(b);
  if (left !== right) return left ? -1 : 1;
  return a < b ? -1 : 1;
}
