/**
 * The list of known deviations in `docs/conformance.md`.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import type { Outcome } from "./corpus.ts";

/** A case that differs on purpose. */
export interface Deviation {
  readonly corpus: string;
  readonly name: string;
  readonly reason: string;
}

const HEADING = /^## Deviations$/m;
/** `| corpus | case | reason |`, except the heading of the table and its rule. */
const ROW = /^\|\s*`([^`]+)`\s*\|\s*`([^`]+)`\s*\|\s*(.*?)\s*\|$/;

/**
 * The rows of the table below "Deviations".
 *
 * @throws {MeshError} `deviations` when a row has no reason or is repeated.
 */
export function readDeviations(page: string): readonly Deviation[] {
  const start = HEADING.exec(page);
  if (start === null) throw new MeshError("deviations", 'the page has no heading "Deviations"');
  const found: Deviation[] = [];
  for (const line of page.slice(start.index).split("\n")) {
    const [, corpus, name, reason] = ROW.exec(line) ?? [];
    if (corpus === undefined || name === undefined || reason === undefined) continue;
    if (reason === "") throw new MeshError("deviations", `${corpus}: ${name} has no reason`);
    if (found.some((one) => one.corpus === corpus && one.name === name)) {
      throw new MeshError("deviations", `${corpus}: ${name} stands twice`);
    }
    found.push({ corpus, name, reason });
  }
  return found;
}

/**
 * Contradictions: cases that differ and are not listed, and listed ones that do not differ. The folder
 * may hold another selection of cases, so that a listed case need not be there.
 */
export function disagreements(
  { corpus, names, failed }: Outcome,
  deviations: readonly Deviation[],
): readonly string[] {
  const listed = new Set(deviations.filter((one) => one.corpus === corpus).map(({ name }) => name));
  const unlisted = [...failed].filter(([name]) => !listed.has(name));
  const stale = [...listed].filter((name) => (names?.has(name) ?? true) && !failed.has(name));
  return [
    ...unlisted.map(([name, fault]) => `${corpus}: ${name}: ${fault}`),
    ...stale.map((name) => `${corpus}: ${name}: listed as a deviation, and is as expected now`),
  ];
}
