/**
 * The corpus `iptables`: settings of traffic capture to rules.
 *
 * @module
 */
import {
  type CaptureHost,
  type CaptureInput,
  type Family,
  parseCapture,
  planCapture,
  restoreText,
} from "../../lib/node/capture/mod.ts";
import { captureOptions } from "../../cmd/pilot-agent/capture_options.ts";
import { PILOT_AGENT } from "../../cmd/pilot-agent/program.ts";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";

/** A case of the corpus. */
interface CaptureCase extends Case {
  readonly flags: Readonly<Record<string, string | true>>;
  readonly env: Readonly<Record<string, string>>;
  readonly host: { readonly ipv6: boolean; readonly nameservers: readonly string[] };
  readonly golden: string;
}

/** Compares the ordered rules of each chain, by table and IP version. */
export const IPTABLES: Corpus<CaptureCase> = {
  name: "iptables",
  judge: (one: CaptureCase, read: ReadFile) => {
    const families: Family[] = one.host.ipv6 ? [4, 6] : [4];
    const settings = parseCapture(inputOf(one), hostOf(one));
    const found = planCapture({ ...settings, ipv6: one.host.ipv6 }).families.map((family) =>
      restoreText(family)
    );
    const golden = rulesets(read(one.golden));
    const own = rulesets(found.join(""));
    for (const [i, family] of families.entries()) {
      const fault = difference(own[i] ?? new Map(), golden[i] ?? new Map());
      if (fault !== undefined) return `IPv${family}: ${fault}`;
    }
    return golden.length === own.length ? undefined : `${own.length} rule sets`;
  },
};

function inputOf({ flags, env }: CaptureCase): CaptureInput {
  const argv = Object.entries(flags).map(([name, value]) =>
    value === true ? name : `${name}=${value}`
  );
  using _ = useEnvironment(env);
  return captureOptions(parseArgv(PILOT_AGENT, ["mesh-iptables", ...argv]).flags).input;
}

function hostOf({ host }: CaptureCase): CaptureHost {
  const { ipv6, nameservers } = host;
  return { ipv4: true, ipv6, nameservers, users: new Map(), groups: new Map() };
}

/** Rules by table and chain. */
type Ruleset = Map<string, string[]>;

/** The rule sets in a text: a table that comes a second time begins the next one. */
function rulesets(text: string): Ruleset[] {
  const found: { tables: Set<string>; rules: Ruleset }[] = [];
  let table = "";
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line.startsWith("*")) {
      table = line.slice(1).trim();
      if (found.at(-1)?.tables.has(table) ?? true) {
        found.push({ tables: new Set(), rules: new Map() });
      }
      found.at(-1)?.tables.add(table);
    } else if (/^-[AI] /.test(line)) {
      const rules = found.at(-1)?.rules;
      const chain = `${table} ${line.split(" ")[1]}`;
      rules?.set(chain, [...rules.get(chain) ?? [], line]);
    }
  }
  return found.map(({ rules }) => rules);
}

function difference(own: Ruleset, golden: Ruleset): string | undefined {
  for (const chain of new Set([...own.keys(), ...golden.keys()])) {
    const [found, wanted] = [own.get(chain) ?? [], golden.get(chain) ?? []];
    const at = wanted.findIndex((rule, i) => rule !== found[i]);
    if (at >= 0) return `${chain} rule ${at + 1}: ${found[at]}, expected ${wanted[at]}`;
    if (found.length > wanted.length) return `${chain}: surplus rule ${found[wanted.length]}`;
  }
  return undefined;
}
