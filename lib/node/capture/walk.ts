/**
 * Follows a packet through the rules of a plan. Pure. Tests and the documentation use it.
 *
 * @module
 */
import { rangeContains } from "../../kit/text/mod.ts";
import {
  type Chain,
  type ConnectionState,
  type FamilyPlan,
  type Hook,
  type Match,
  orderedRules,
  type Rule,
  type Table,
  TABLES,
} from "./rule.ts";

/** A packet and the process that sent it. */
export interface Packet {
  readonly protocol: "tcp" | "udp";
  /** Interface that it came in by. */
  readonly in?: string;
  /** Interface that it leaves by. */
  readonly out?: string;
  readonly source: string;
  readonly destination: string;
  readonly sport: number;
  readonly dport: number;
  /** Owner of the socket; absent for packets that come in. */
  readonly uid?: string;
  readonly gid?: string;
  readonly mark?: number;
  readonly connmark?: number;
  /** Default: `NEW`. */
  readonly state?: ConnectionState;
  /** True for a packet of a TCP connection that began before the kernel looked at connections. */
  readonly isMidstream?: boolean;
}

/** Verdict on a packet. */
export type Verdict =
  | { readonly kind: "accept" | "drop" }
  | { readonly kind: "redirect" | "tproxy"; readonly port: number };

/** The way of a packet. */
export interface Walk {
  readonly verdict: Verdict;
  /** Rules that matched, in order. */
  readonly passed: readonly Rule[];
  /** Mark of the packet at the end. */
  readonly mark: number;
  readonly connmark: number;
  /** Conntrack zone; 0: the default. */
  readonly zone: number;
}

interface State {
  mark: number;
  connmark: number;
  zone: number;
  readonly passed: Rule[];
}

type Step = Verdict | "return" | "continue";

/** Follows a packet from a hook. Only the first packet of a connection passes the table nat. */
export function walk(plan: FamilyPlan, hook: Hook, packet: Packet): Walk {
  const state: State = {
    mark: packet.mark ?? 0,
    connmark: packet.connmark ?? 0,
    zone: 0,
    passed: [],
  };
  let verdict: Verdict = { kind: "accept" };
  for (const table of TABLES) {
    if (table === "nat" && (packet.state ?? "NEW") !== "NEW") continue;
    const step = walkChain({ plan, table, packet, state }, hook);
    if (typeof step === "string" || step.kind === "accept") continue;
    verdict = step;
    break;
  }
  const { mark, connmark, zone, passed } = state;
  return { verdict, passed, mark, connmark, zone };
}

interface TableWalk {
  readonly plan: FamilyPlan;
  readonly table: Table;
  readonly packet: Packet;
  readonly state: State;
}

function walkChain(at: TableWalk, chain: Chain): Step {
  for (const rule of orderedRules(at.plan.rules, at.table, chain)) {
    if (!rule.matches.every((match) => holds(match, at.packet, at.state))) continue;
    at.state.passed.push(rule);
    const step = act(at, rule);
    if (step !== "continue") return step;
  }
  return "return";
}

function act(at: TableWalk, { target }: Rule): Step {
  const { state } = at;
  switch (target.kind) {
    case "jump": {
      const step = walkChain(at, target.chain);
      return step === "return" ? "continue" : step;
    }
    case "return":
      return "return";
    case "accept":
    case "drop":
      return { kind: target.kind };
    case "redirect":
      return { kind: "redirect", port: target.port };
    case "tproxy":
      state.mark = target.mark;
      return { kind: "tproxy", port: target.port };
    case "mark":
      state.mark = target.mark;
      return "continue";
    case "connmark":
      if (target.operation === "save") state.connmark = state.mark;
      else state.mark = state.connmark;
      return "continue";
    case "set-connmark":
      state.connmark = (state.connmark & ~target.mask) | target.mark;
      return "continue";
    case "zone":
      state.zone = target.zone;
      return "continue";
    case "log":
      return "continue";
  }
}

function holds(match: Match, packet: Packet, state: State): boolean {
  const not = "not" in match && match.not === true;
  return matches(match, packet, state) !== not;
}

function matches(match: Match, packet: Packet, state: State): boolean {
  switch (match.kind) {
    case "protocol":
      return packet.protocol === match.protocol;
    case "in":
      return packet.in === match.device;
    case "out":
      return packet.out === match.device;
    case "source":
      return rangeContains(match.cidr, packet.source);
    case "destination":
      return rangeContains(match.cidr, packet.destination);
    case "sport":
      return packet.sport === match.port;
    case "dport":
      return packet.dport === match.port;
    case "dports":
      return match.ports.includes(packet.dport);
    case "uid":
      return packet.uid === match.id;
    case "gid":
      return packet.gid === match.id;
    case "state":
      return match.states.includes(packet.state ?? "NEW");
    case "opening":
      return packet.protocol === "tcp" && packet.isMidstream !== true;
    case "mark":
      return masked(state.mark, match.mask) === match.mark;
    case "connmark":
      return masked(state.connmark, match.mask) === match.mark;
  }
}

function masked(mark: number, mask: number | undefined): number {
  return mask === undefined ? mark : mark & mask;
}
