/**
 * Versions of the program and of the mesh that is there. Pure.
 *
 * @module
 */

/** The relation of an installed version to the one that is to be installed. */
export interface Skew {
  readonly kind: "same" | "newer" | "older" | "far" | "unknown";
  /** Sentence for users; empty for versions that go together. */
  readonly text: string;
}

/** Minor versions that an upgrade in place may skip without a warning. */
const STEP = 1;

/**
 * Compares the version to install with the one that is there.
 *
 * @param what what has the version, such as `revision canary`
 */
export function skewOf(installed: string, wanted: string, what: string): Skew {
  const [from, to] = [partsOf(installed), partsOf(wanted)];
  if (installed === wanted) return { kind: "same", text: "" };
  if (from === undefined || to === undefined) {
    const text = `${what} has version ${installed || "unknown"}, which cannot be compared with ` +
      `${wanted}`;
    return { kind: "unknown", text };
  }
  const order = compare(from, to);
  if (order === 0) return { kind: "same", text: "" };
  if (order > 0) {
    const text =
      `${what} has version ${installed}, which is newer than ${wanted}, the version of ` +
      "this meshctl: fields that it knows and this one does not would be lost";
    return { kind: "older", text };
  }
  if (from.numbers[0] === to.numbers[0] && to.numbers[1] - from.numbers[1] <= STEP) {
    return { kind: "newer", text: "" };
  }
  const text =
    `${what} has version ${installed}; an upgrade in place to ${wanted} skips versions, ` +
    "and proxies of the old version are only tested with the next minor version";
  return { kind: "far", text };
}

interface Version {
  readonly numbers: readonly [number, number, number];
  readonly prerelease: readonly string[];
}

function partsOf(version: string): Version | undefined {
  const found = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(version);
  if (found === null) return undefined;
  const [, major, minor, patch = "0", prerelease = ""] = found;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    prerelease: prerelease === "" ? [] : prerelease.split("."),
  };
}

/** Semantic versioning: a prerelease is older than its release. */
function compare(a: Version, b: Version): number {
  for (const at of [0, 1, 2] as const) {
    if (a.numbers[at] !== b.numbers[at]) return a.numbers[at] - b.numbers[at];
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return b.prerelease.length - a.prerelease.length;
  }
  for (let at = 0; at < Math.max(a.prerelease.length, b.prerelease.length); at++) {
    const order = compareIdentifiers(a.prerelease[at], b.prerelease[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
