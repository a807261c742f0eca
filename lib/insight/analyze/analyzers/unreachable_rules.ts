/**
 * Rules and matches of VirtualServices that earlier ones take all requests from.
 *
 * @module
 */
import { toJson } from "../../../kit/proto/mod.ts";
import { canonicalJson, flatMapInParts, type Parts } from "../../../kit/base/mod.ts";
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
  *analyze({ read }, { spec }) {
    const http = rulesOf(read, spec.http, (one) => {
      // The name of a match decides nothing.
      const { name: _, ...rest } = toJson(HTTPMatchRequestSchema, one) as Match;
      return rest;
    });
    yield* ruleFindings(read, "http", http);
    const tls = rulesOf(read, spec.tls, (one) => toJson(TLSMatchAttributesSchema, one) as Match);
    yield* ruleFindings(read, "tls", tls);
    const tcp = rulesOf(read, spec.tcp, (one) => toJson(L4MatchAttributesSchema, one) as Match);
    yield* ruleFindings(read, "tcp", tcp);
  },
};

/** A match in its JSON form. */
type Match = Readonly<Record<string, unknown>>;

interface Rule {
  readonly name: string;
  readonly matches: readonly ReadMatch[];
}

interface ReadMatch {
  readonly match: Match;
  /** Canonical text. */
  readonly json: string;
}

/** Reads the rules of a list. */
function rulesOf<M>(
  parts: Parts,
  rules: readonly { readonly name?: string; readonly match: readonly M[] }[],
  read: (match: M) => Match,
): readonly Rule[] {
  const all = rules.flatMap(({ match }) => match);
  const matches = flatMapInParts(parts, all, (one) => {
    const match = read(one);
    return [{ match, json: canonicalJson(match) }];
  });
  let at = 0;
  return rules.map(({ name = "", match }) => ({
    name,
    matches: matches.slice(at, at += match.length),
  }));
}

/** A match that decides about some requests. */
interface Seen {
  readonly match: Match;
  /** Its rule, and its place in it. */
  readonly rule: number;
  readonly index: number;
}

function* ruleFindings(
  parts: Parts,
  list: string,
  rules: readonly Rule[],
): Iterable<Finding> {
  const seen = new Map<string, Seen>();
  let catchAll: number | undefined;
  for (const [at, { matches }] of rules.entries()) {
    const path = `spec.${list}[${at}]`;
    if (matches.length === 0) {
      if (catchAll !== undefined) {
        const reason = `${nameOf(rules, catchAll)} matches everything`;
        yield { code: "MSH0130", args: [nameOf(rules, at), reason], path };
      }
      catchAll ??= at;
    }
    let repeated = 0;
    for (const [index, { match, json }] of matches.entries()) {
      const earlier = seen.get(json);
      if (earlier === undefined) seen.set(json, { match, rule: at, index });
      else {
        repeated++;
        yield neverUsed(list, rules, { rule: at, index }, earlier.rule);
      }
    }
    if (repeated === 0 || repeated < matches.length) continue;
    const args = [nameOf(rules, at), "all its matches are used by earlier rules"];
    yield { code: "MSH0130", args, path };
  }
  if (list !== "http") return;
  yield* parts.part(() => [...coveredFindings(list, rules, [...seen.values()])]);
}

/** Most pairs of matches that are compared in one VirtualService. */
const MAX_PAIRS = 50_000;

/** Matches by a prefix of the path that an earlier match by a shorter prefix covers. */
function* coveredFindings(
  list: string,
  rules: readonly Rule[],
  seen: readonly Seen[],
): Iterable<Finding> {
  const places = placesOf(seen);
  let pairs = 0;
  for (const [at, later] of seen.entries()) {
    for (const shorter of shorterThan(places[at])) {
      for (const earlier of shorter.matches) {
        if (earlier >= at) break;
        if (++pairs > MAX_PAIRS) return;
        const { match, rule } = seen[earlier]!;
        if (covers(match, later.match)) yield neverUsed(list, rules, later, rule);
      }
    }
  }
}

/** A prefix of the path among the others of a list. */
interface Place {
  readonly prefix: string;
  /** Its matches, as places in the list; ascending. */
  readonly matches: number[];
  /** The longest other prefix that begins this one. */
  readonly shorter: Place | undefined;
}

/**
 * The prefix of each match; `undefined` for a match without one. In their order as texts, a prefix comes
 * before all that it begins, so that the time does not grow with the length of a prefix times itself.
 */
function placesOf(seen: readonly Seen[]): readonly (Place | undefined)[] {
  const prefixes = seen.map(({ match }) => prefixOf(match));
  const places: (Place | undefined)[] = prefixes.map(() => undefined);
  const sorted = [...prefixes.keys()].filter((at) => prefixes[at] !== undefined)
    .sort((a, b) => prefixes[a]! < prefixes[b]! ? -1 : prefixes[a]! > prefixes[b]! ? 1 : a - b);
  let last: Place | undefined;
  for (const at of sorted) {
    const prefix = prefixes[at]!;
    while (last && !prefix.startsWith(last.prefix)) last = last.shorter;
    if (last?.prefix !== prefix) last = { prefix, matches: [], shorter: last };
    last.matches.push(at);
    places[at] = last;
  }
  return places;
}

/** The shorter prefixes that begin one, the shortest first; the empty one begins nothing. */
function shorterThan(place: Place | undefined): readonly Place[] {
  const found: Place[] = [];
  for (let one = place?.shorter; one; one = one.shorter) if (one.prefix !== "") found.push(one);
  return found.reverse();
}

function neverUsed(
  list: string,
  rules: readonly Rule[],
  { rule, index }: Pick<Seen, "rule" | "index">,
  by: number,
): Finding {
  const args = [nameOf(rules, rule), `#${index}`, nameOf(rules, by)];
  return { code: "MSH0131", args, path: `spec.${list}[${rule}].match[${index}]` };
}

function nameOf(rules: readonly Rule[], at: number): string {
  return rules[at]?.name || `#${at}`;
}

/**
 * True when the fields beside the path of an earlier match take all requests of a later one.
 * A match without method counts as one of GET.
 */
function covers(earlier: Match, later: Match): boolean {
  return earlier.port === later.port &&
    isWider(earlier.method ?? GET, later.method ?? GET) &&
    isWider(earlier.authority, later.authority) &&
    LISTS.every((name) => haveWiderValues(earlier[name], later[name]));
}

const GET: Match = { exact: "GET" };
/** Fields with a match for each name. */
const LISTS = ["headers", "queryParams", "withoutHeaders"] as const;

function prefixOf({ uri }: Match): string | undefined {
  const value = (uri as Match | undefined)?.prefix;
  return typeof value === "string" ? value : undefined;
}

/** True if the text of a match, with its kind, is the beginning of that of another. */
function isWider(earlier: unknown, later: unknown): boolean {
  return textOf(later).startsWith(textOf(earlier));
}

/** A match as text, such as `exact/GET`; empty for a regular expression and without a match. */
function textOf(match: unknown): string {
  for (const kind of ["exact", "prefix"]) {
    const value = (match as Match | undefined)?.[kind];
    if (typeof value === "string") return `${kind}/${value}`;
  }
  return "";
}

function haveWiderValues(earlier: unknown, later: unknown): boolean {
  const [one, two] = [(earlier ?? {}) as Match, (later ?? {}) as Match];
  const names = Object.keys(one);
  return names.length === Object.keys(two).length &&
    names.every((name) => name in two && isWider(one[name], two[name]));
}
