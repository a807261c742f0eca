/**
 * Packet filter rules as data: tables, chains, matches, targets.
 *
 * @module
 */

/** IP version. */
export type Family = 4 | 6;

/** Tables of iptables that the plan writes to, in the order that packets pass them. */
export const TABLES = ["raw", "mangle", "nat"] as const;
export type Table = typeof TABLES[number];

/** Chains that the kernel calls. */
export const HOOKS = ["PREROUTING", "OUTPUT"] as const;
export type Hook = typeof HOOKS[number];

/** Chains that belong to Mesh. No other chain is ever flushed or deleted. */
export const OWN_CHAINS = [
  "MESH_INBOUND",
  "MESH_REDIRECT",
  "MESH_IN_REDIRECT",
  "MESH_OUTPUT",
  "MESH_DIVERT",
  "MESH_TPROXY",
  "MESH_DROP",
  "MESH_PRERT",
] as const;
export type OwnChain = typeof OWN_CHAINS[number];
export type Chain = Hook | OwnChain;

/** A condition. `not` inverts it. */
export type Match =
  | { readonly kind: "protocol"; readonly protocol: "tcp" | "udp" }
  | { readonly kind: "in" | "out"; readonly device: string }
  | { readonly kind: "source" | "destination"; readonly cidr: string; readonly not?: boolean }
  | { readonly kind: "sport" | "dport"; readonly port: number; readonly not?: boolean }
  | { readonly kind: "dports"; readonly ports: readonly number[]; readonly not?: boolean }
  | { readonly kind: "uid" | "gid"; readonly id: string; readonly not?: boolean }
  | { readonly kind: "state"; readonly states: readonly ConnectionState[] }
  /** A packet of TCP that opens a connection: of the flags SYN, ACK, FIN and RST it has SYN alone. */
  | { readonly kind: "opening"; readonly not?: boolean }
  | {
    readonly kind: "mark" | "connmark";
    readonly mark: number;
    /** Bits that are compared; absent: all. */
    readonly mask?: number;
    readonly not?: boolean;
  };

/** State of a connection as conntrack sees it. */
export type ConnectionState = "NEW" | "ESTABLISHED" | "RELATED" | "INVALID";

/** Action of a rule on a matching packet. */
export type Target =
  | { readonly kind: "return" | "accept" | "drop" }
  | { readonly kind: "jump"; readonly chain: OwnChain }
  | { readonly kind: "redirect"; readonly port: number }
  | { readonly kind: "tproxy"; readonly port: number; readonly mark: number }
  | { readonly kind: "mark"; readonly mark: number }
  | { readonly kind: "connmark"; readonly operation: "save" | "restore" }
  | { readonly kind: "set-connmark"; readonly mark: number; readonly mask: number }
  | { readonly kind: "zone"; readonly zone: number }
  | { readonly kind: "log"; readonly prefix: string };

export interface Rule {
  readonly table: Table;
  readonly chain: Chain;
  /** Position from 1 that the rule is inserted at; absent: it is appended. */
  readonly insert?: number;
  readonly matches: readonly Match[];
  readonly target: Target;
  /** Purpose, for the documentation. */
  readonly why: string;
}

/** All rules of one IP version, in the order that they are applied. */
export interface FamilyPlan {
  readonly family: Family;
  readonly rules: readonly Rule[];
  /**
   * Rules of other settings that belong to Mesh too if they are in place, so that they are replaced
   * and removed with the others.
   */
  readonly former?: readonly Rule[];
}

/** Packets with a mark are delivered locally, at any address. */
export interface MarkRouting {
  readonly mark: number;
  /** Bits of the mark that are compared; absent: all. */
  readonly mask?: number;
  readonly table: number;
  /** Order among the rules of routing; absent: the kernel's choice. */
  readonly preference?: number;
}

/** Everything that is set up in a network namespace. */
export interface CapturePlan {
  /** One for each IP version that is captured. */
  readonly families: readonly FamilyPlan[];
  /** Policy routing of marked packets to this host, for each IP version. */
  readonly routing?: MarkRouting;
  /** Addresses added to the loopback interface, as CIDR. */
  readonly loopbackAddresses: readonly string[];
}

/** Chains of Mesh that the rules of a table use, in the order of their first use. */
export function ownChains(rules: readonly Rule[], table: Table): readonly OwnChain[] {
  const found = new Set<OwnChain>();
  for (const rule of rules) {
    if (rule.table !== table) continue;
    if (isOwnChain(rule.chain)) found.add(rule.chain);
    if (rule.target.kind === "jump") found.add(rule.target.chain);
  }
  return [...found];
}

/** Reports if a chain belongs to Mesh. */
export function isOwnChain(chain: string): chain is OwnChain {
  return (OWN_CHAINS as readonly string[]).includes(chain);
}

/** The rules of a chain in the order that packets pass them, with insertions done. */
export function orderedRules(rules: readonly Rule[], table: Table, chain: Chain): readonly Rule[] {
  const ordered: Rule[] = [];
  for (const rule of rules) {
    if (rule.table !== table || rule.chain !== chain) continue;
    if (rule.insert === undefined) ordered.push(rule);
    else ordered.splice(rule.insert - 1, 0, rule);
  }
  return ordered;
}
