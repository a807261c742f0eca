/**
 * The output of `iptables-save` as data. Pure.
 *
 * @module
 */
import { canonicalRule } from "./canonical.ts";

/** A rule that is in place. */
export interface SavedRule {
  readonly chain: string;
  /** Conditions and target, without `-A CHAIN`, as they were printed. */
  readonly text: string;
  /** {@link canonicalRule} of it. */
  readonly canonical: string;
  /** Value of `-j` or `-g`. */
  readonly target: string;
}

/** A table that is in place. */
export interface SavedTable {
  /** All chains, those of the kernel too. */
  readonly chains: ReadonlySet<string>;
  readonly rules: readonly SavedRule[];
}

/** Tables by name. */
export type SavedTables = ReadonlyMap<string, SavedTable>;

/** Parses the output. Lines of other kinds are skipped. */
export function parseSaved(output: string): SavedTables {
  const tables = new Map<string, { chains: Set<string>; rules: SavedRule[] }>();
  let table: { chains: Set<string>; rules: SavedRule[] } | undefined;
  for (const line of output.split("\n")) {
    if (line.startsWith("*")) {
      table = { chains: new Set(), rules: [] };
      tables.set(line.slice(1).trim(), table);
    } else if (line.startsWith(":")) {
      table?.chains.add(line.slice(1).split(" ")[0] ?? "");
    } else {
      // Counters are printed before the rule if they were asked for.
      const match = /^(?:\[\d+:\d+\] )?-A (\S+) ?(.*)$/.exec(line);
      if (match) table?.rules.push(savedRule(match[1] ?? "", match[2] ?? ""));
    }
  }
  return tables;
}

function savedRule(chain: string, text: string): SavedRule {
  const words = splitWords(text);
  const at = words.findIndex((word) => word === "-j" || word === "-g");
  return { chain, text, canonical: canonicalRule(words), target: words[at + 1] ?? "" };
}

/** Splits at blanks outside of double quotes; `\` escapes within them. */
function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const [whole, quoted] of text.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g)) {
    words.push(quoted === undefined ? whole : quoted.replaceAll(/\\(.)/g, "$1"));
  }
  return words;
}

/** Reports if any table has a rule or a chain besides those of the kernel. */
export function hasRules(tables: SavedTables): boolean {
  return [...tables.values()].some(({ chains, rules }) =>
    rules.length > 0 || [...chains].some((chain) => !KERNEL_CHAINS.has(chain))
  );
}

const KERNEL_CHAINS: ReadonlySet<string> = new Set([
  "PREROUTING",
  "INPUT",
  "FORWARD",
  "OUTPUT",
  "POSTROUTING",
]);
