/**
 * Rules and matches of VirtualServices that earlier ones take all requests from.
 *
 * @module
 */
import { toJson } from "../../proto/mod.ts";
import { canonicalJson } from "../../base/mod.ts";
import {
  HTTPMatchRequestSchema,
  L4MatchAttributesSchema,
  TLSMatchAttributesSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { Analyzer } from "../analyzer.ts";
import type { Finding } from "../message.ts";

/** Rules and matches without effect. */
export const UNREACHABLE_RULES: Analyzer<"VirtualService"> = {
  name: "schema.ValidationAnalyzer.VirtualService",
  kinds: ["VirtualService"],
  codes: ["MSH0130", "MSH0131"],
  *analyze(_context, { spec }) {
    yield* ruleFindings(
      "http",
      spec.http.map(({ name, match }) => ({
        name,
        matches: match.map((one) => {
          // The name of a match decides nothing.
          const { name: _, ...rest } = toJson(HTTPMatchRequestSchema, one) as Match;
          return rest;
        }),
      })),
    );
    yield* ruleFindings(
      "tls",
      spec.tls.map(({ match }) => ({
        name: "",
        matches: match.map((one) => toJson(TLSMatchAttributesSchema, one) as Match),
      })),
    );
    yield* ruleFindings(
      "tcp",
      spec.tcp.map(({ match }) => ({
        name: "",
        matches: match.map((one) => toJson(L4MatchAttributesSchema, one) as Match),
      })),
    );
  },
};

/** A match in its JSON form. */
type Match = Readonly<Record<string, unknown>>;

interface Rule {
  readonly name: string;
  readonly matches: readonly Match[];
}

interface Seen {
  readonly match: Match;
  readonly json: string;
  readonly rule: number;
}

function* ruleFindings(list: string, rules: readonly Rule[]): Iterable<Finding> {
  const seen: Seen[] = [];
  let catchAll: number | undefined;
  for (const [at, { matches }] of rules.entries()) {
    const path = `spec.${list}[${at}]`;
    if (catchAll !== undefined) {
      const reason = `${nameOf(rules, catchAll)} matches everything`;
      yield { code: "MSH0130", args: [nameOf(rules, at), reason], path };
      continue;
    }
    if (matches.length === 0) catchAll = at;
    const found: Finding[] = [];
    for (const [index, match] of matches.entries()) {
      const json = canonicalJson(match);
      const earlier = seen.find((one) => one.json === json || coversPath(one.match, match));
      if (earlier === undefined) seen.push({ match, json, rule: at });
      else {
        const args = [nameOf(rules, at), `#${index}`, nameOf(rules, earlier.rule)];
        found.push({ code: "MSH0131", args, path: `${path}.match[${index}]` });
      }
    }
    yield* found;
    if (found.length === 0 || found.length < matches.length) continue;
    const args = [nameOf(rules, at), "all its matches are used by earlier rules"];
    yield { code: "MSH0130", args, path };
  }
}

function nameOf(rules: readonly Rule[], at: number): string {
  return rules[at]?.name || `#${at}`;
}

/** True when a match by nothing but a prefix of the path covers one by path and the like. */
function coversPath(earlier: Match, later: Match): boolean {
  const prefix = pathOf(earlier, "prefix");
  if (prefix === undefined || Object.keys(earlier).length !== 1) return false;
  const path = pathOf(later, "prefix") ?? pathOf(later, "exact");
  return path !== undefined && later.ignoreUriCase !== true && path.startsWith(prefix);
}

function pathOf({ uri }: Match, form: string): string | undefined {
  const value = (uri as Match | undefined)?.[form];
  return typeof value === "string" ? value : undefined;
}
