/**
 * Rules as the words of iptables, and as input of `iptables-restore`.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import {
  type FamilyPlan,
  HOOKS,
  type Match,
  orderedRules,
  ownChains,
  type Rule,
  type Table,
  type Target,
} from "./rule.ts";

/** Group of the NFLOG rules; a reader of the log subscribes to it. */
export const LOG_GROUP = 1337;
/** Bytes of a packet that are logged: an IPv4 header. */
const LOG_BYTES = 20;
/** Order of the tables in the input. */
const ORDER: readonly Table[] = ["mangle", "nat", "raw"];

/** Letters of a word. There is no quoting: a word with any other letter is an error. */
const WORD = /^[A-Za-z0-9_.:,/!@*$+-]+$/;

/** The words of a rule, without its table: `-A CHAIN …` or `-I CHAIN N …`. */
export function ruleWords(rule: Rule): readonly string[] {
  return renderRule(rule, rule.insert === undefined ? ["-A", rule.chain] : insertion(rule));
}

/** The conditions and the target of a rule. */
export function conditionWords(rule: Rule): readonly string[] {
  return renderRule(rule, []);
}

function insertion({ chain, insert }: Rule): readonly string[] {
  return ["-I", chain, String(insert)];
}

function renderRule(rule: Rule, command: readonly string[]): readonly string[] {
  const udp = rule.matches.some((match) => match.kind === "protocol" && match.protocol === "udp");
  const words = [
    ...command,
    ...rule.matches.flatMap((match) => matchWords(match)),
    ...targetWords(rule.target, udp),
  ];
  for (const word of words) checkWord(word);
  return words;
}

/**
 * Checks that a word cannot be read as anything else by `iptables-restore`.
 *
 * @throws {MeshError} `capture-word`
 */
export function checkWord(word: string): void {
  if (WORD.test(word)) return;
  throw new MeshError(
    "capture-word",
    `${JSON.stringify(word)} cannot be part of a packet filter rule`,
    {
      remedy: "Remove blanks, quotes and control characters from the capture settings.",
    },
  );
}

function matchWords(match: Match): readonly string[] {
  const not = "not" in match && match.not ? ["!"] : [];
  switch (match.kind) {
    case "protocol":
      return ["-p", match.protocol];
    case "in":
      return ["-i", match.device];
    case "out":
      return ["-o", match.device];
    case "source":
      return [...not, "-s", match.cidr];
    case "destination":
      return [...not, "-d", match.cidr];
    case "sport":
      return [...not, "--sport", String(match.port)];
    case "dport":
      return [...not, "--dport", String(match.port)];
    case "dports":
      return ["-m", "multiport", ...not, "--dports", match.ports.join(",")];
    case "uid":
      return ["-m", "owner", ...not, "--uid-owner", match.id];
    case "gid":
      return ["-m", "owner", ...not, "--gid-owner", match.id];
    case "state":
      return ["-m", "conntrack", "--ctstate", match.states.join(",")];
    case "opening":
      return [...not, "--tcp-flags", "FIN,SYN,RST,ACK", "SYN"];
    case "mark":
    case "connmark":
      return ["-m", match.kind, ...not, "--mark", markWord(match)];
  }
}

function markWord({ mark, mask }: { readonly mark: number; readonly mask?: number }): string {
  const text = (value: number) => `0x${value.toString(16)}`;
  return mask === undefined ? String(mark) : `${text(mark)}/${text(mask)}`;
}

/** @param udp spell the port option as rules for UDP do; iptables accepts both spellings */
function targetWords(target: Target, udp: boolean): readonly string[] {
  switch (target.kind) {
    case "return":
      return ["-j", "RETURN"];
    case "accept":
      return ["-j", "ACCEPT"];
    case "drop":
      return ["-j", "DROP"];
    case "jump":
      return ["-j", target.chain];
    case "redirect":
      return ["-j", "REDIRECT", udp ? "--to-port" : "--to-ports", String(target.port)];
    case "tproxy":
      return ["-j", "TPROXY", "--tproxy-mark", `${target.mark}/0xffffffff`]
        .concat("--on-port", String(target.port));
    case "mark":
      return ["-j", "MARK", "--set-mark", String(target.mark)];
    case "connmark":
      return ["-j", "CONNMARK", target.operation === "save" ? "--save-mark" : "--restore-mark"];
    case "set-connmark":
      return ["-j", "CONNMARK", "--set-xmark", markWord(target)];
    case "zone":
      return ["-j", "CT", "--zone", String(target.zone)];
    case "log":
      return ["-j", "NFLOG", "--nflog-prefix", target.prefix]
        .concat("--nflog-group", String(LOG_GROUP), "--nflog-size", String(LOG_BYTES));
  }
}

/** Tables that the rules of a family use. */
export function usedTables({ rules }: FamilyPlan): readonly Table[] {
  return ORDER.filter((table) => rules.some((rule) => rule.table === table));
}

/**
 * Input of `iptables-restore --noflush` that creates the chains and rules.
 *
 * @param before lines of a table that go before the creation, for example deletions
 */
export function restoreText(
  plan: FamilyPlan,
  before: (table: Table) => readonly string[] = () => [],
): string {
  const lines = usedTables(plan).flatMap((table) => [
    `* ${table}`,
    ...before(table),
    ...ownChains(plan.rules, table).map((chain) => `-N ${chain}`),
    ...plan.rules.filter((rule) => rule.table === table).map((rule) => ruleWords(rule).join(" ")),
    "COMMIT",
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

/** The output of `iptables-save` when the plan, and nothing else, is in place. */
export function savedText(plan: FamilyPlan): string {
  const lines = usedTables(plan).flatMap((table) => [
    `*${table}`,
    ...ownChains(plan.rules, table).map((chain) => `:${chain} - [0:0]`),
    ...[...HOOKS, ...ownChains(plan.rules, table)].flatMap((chain) =>
      orderedRules(plan.rules, table, chain).map((rule) =>
        ["-A", chain, ...conditionWords(rule)].join(" ")
      )
    ),
    "COMMIT",
  ]);
  return lines.map((line) => `${line}\n`).join("");
}
