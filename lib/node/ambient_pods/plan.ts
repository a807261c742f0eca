/**
 * The rules in the network namespace of a pod in ambient mode. Pure.
 *
 * The node proxy has its sockets in that namespace. Its packets have a mark, so that they are not captured
 * again. It connects to the application from the address of the client: a mark of the connection brings
 * the answers back to it.
 *
 * @module
 */
import type { CapturePlan, Family, FamilyPlan, Match, Rule, Target } from "../capture/mod.ts";
import type { PodOverrides } from "./overrides.ts";

/** Source addresses of the node's probes, by version of IP. */
export type ProbeSources = Readonly<Record<Family, string>>;

/** Settings of {@link planPod}. */
export interface PodPlanSettings extends PodOverrides {
  readonly families: readonly Family[];
  readonly probes: ProbeSources;
  /** False: nothing is redirected, and what the node proxy serves already goes on. */
  readonly redirects: boolean;
}

/** Ports of the node proxy in the network namespace of a pod. */
export const PORTS = { outbound: 15001, inbound: 15006, tunnel: 15008, dns: 15053 } as const;

const MASK = 0xfff;
/** Mark of the node proxy's packets. */
const PROXY_MARK = 0x539;
/** Mark of the connections of the node proxy to the application. */
const CONNECTION_MARK = 0x111;
/** Routing of answers of the application to the node proxy. */
const ROUTING = { mark: CONNECTION_MARK, mask: MASK, table: 100, preference: 32764 } as const;

const TCP: Match = { kind: "protocol", protocol: "tcp" };
const UDP: Match = { kind: "protocol", protocol: "udp" };
const OF_PROXY: Match = { kind: "mark", mark: PROXY_MARK, mask: MASK };
const NOT_OF_PROXY: Match = { ...OF_PROXY, not: true };
const LOOPBACK: Readonly<Record<Family, string>> = { 4: "127.0.0.1/32", 6: "::1/128" };
const HOST_BITS: Readonly<Record<Family, number>> = { 4: 32, 6: 128 };

/** Makes the plan. Without any setting it is what removes the rules. */
export function planPod(settings: PodPlanSettings): CapturePlan {
  return {
    families: settings.families.map((family) => ({ family, rules: rulesOf(settings, family) })),
    routing: ROUTING,
    loopbackAddresses: [],
  };
}

/** The plan without rules, by which all chains and the routing are taken away. */
export function emptyPlan(families: readonly Family[]): CapturePlan {
  const none = families.map((family): FamilyPlan => ({ family, rules: [] }));
  return { families: none, routing: ROUTING, loopbackAddresses: [] };
}

type Position = Pick<Rule, "table" | "chain">;

function rulesOf(settings: PodPlanSettings, family: Family): readonly Rule[] {
  const rules: Rule[] = [];
  const add = (at: Position, matches: readonly Match[], target: Target, why: string): void => {
    rules.push({ ...at, matches, target, why });
  };
  const sink: Sink = { settings, family, add };
  addJumps(sink);
  addMarks(sink);
  if (settings.redirects) {
    addOpenConnections(sink);
    addProbes(sink);
    addInbound(sink);
    addOutbound(sink);
  }
  if (settings.dns) addDnsZones(sink);
  return rules;
}

interface Sink {
  readonly settings: PodPlanSettings;
  readonly family: Family;
  add(at: Position, matches: readonly Match[], target: Target, why: string): void;
}

function addJumps({ settings, add }: Sink): void {
  const tables = settings.dns ? ["mangle", "nat", "raw"] as const : ["mangle", "nat"] as const;
  for (const table of tables) {
    const why = "Rules of Mesh have chains of their own.";
    add({ table, chain: "PREROUTING" }, [], { kind: "jump", chain: "MESH_PRERT" }, why);
    add({ table, chain: "OUTPUT" }, [], { kind: "jump", chain: "MESH_OUTPUT" }, why);
  }
}

function addMarks({ add }: Sink): void {
  add(
    { table: "mangle", chain: "MESH_PRERT" },
    [OF_PROXY],
    { kind: "set-connmark", mark: CONNECTION_MARK, mask: MASK },
    "A connection of the node proxy to the application is known by its mark.",
  );
  add(
    { table: "mangle", chain: "MESH_OUTPUT" },
    [{ kind: "connmark", mark: CONNECTION_MARK, mask: MASK }],
    { kind: "connmark", operation: "restore" },
    "Answers of the application go back to the node proxy, whatever address they are for.",
  );
}

/**
 * A pod that runs has connections. The kernel looks at connections in a network namespace from the first
 * rules on: it takes the next packet of an open one for the first, and would redirect it to a socket
 * that knows nothing of it.
 */
function addOpenConnections({ add }: Sink): void {
  for (const chain of ["MESH_PRERT", "MESH_OUTPUT"] as const) {
    add(
      { table: "nat", chain },
      [TCP, { kind: "opening", not: true }],
      { kind: "accept" },
      "Connections that were open before the rules stay as they are.",
    );
  }
}

/** Probes of the node come to the application as they are: the node has no identity. */
function addProbes({ settings, family, add }: Sink): void {
  const cidr = `${settings.probes[family]}/${HOST_BITS[family]}`;
  add(
    { table: "nat", chain: "MESH_PRERT" },
    [{ kind: "source", cidr }, TCP],
    { kind: "accept" },
    "Probes of the node pass by the node proxy.",
  );
  add(
    { table: "nat", chain: "MESH_OUTPUT" },
    [{ kind: "destination", cidr }, TCP],
    { kind: "accept" },
    "Answers to probes pass by the node proxy.",
  );
}

function addInbound({ settings, family, add }: Sink): void {
  const prerouting = { table: "nat", chain: "MESH_PRERT" } as const;
  for (const device of settings.virtualInterfaces) {
    const from: Match = { kind: "in", device };
    add(
      prerouting,
      [from, TCP],
      { kind: "redirect", port: PORTS.outbound },
      "Connections of a virtual machine are outbound.",
    );
    add(prerouting, [from], { kind: "return" }, "Other packets of a virtual machine pass.");
  }
  if (!settings.inbound) return;
  add(
    prerouting,
    [
      { kind: "destination", cidr: LOOPBACK[family], not: true },
      TCP,
      { kind: "dport", port: PORTS.tunnel, not: true },
      NOT_OF_PROXY,
    ],
    { kind: "redirect", port: PORTS.inbound },
    "Connections to the pod outside of a tunnel.",
  );
}

function addOutbound({ settings, family, add }: Sink): void {
  const output = { table: "nat", chain: "MESH_OUTPUT" } as const;
  const elsewhere: Match = { kind: "destination", cidr: LOOPBACK[family], not: true };
  add(
    output,
    [elsewhere, { kind: "out", device: "lo" }],
    { kind: "accept" },
    "A pod that asks itself by its own address.",
  );
  if (settings.dns) {
    const why = "Queries of names.";
    const query: Match = { kind: "dport", port: 53 };
    const redirect: Target = { kind: "redirect", port: PORTS.dns };
    add(output, [elsewhere, UDP, query, NOT_OF_PROXY], redirect, why);
    add(output, [elsewhere, TCP, query, NOT_OF_PROXY], redirect, why);
  }
  add(
    output,
    [TCP, { kind: "mark", mark: CONNECTION_MARK, mask: MASK }],
    { kind: "accept" },
    "Answers of the application to the node proxy.",
  );
  add(
    output,
    [elsewhere, TCP, NOT_OF_PROXY],
    { kind: "redirect", port: PORTS.outbound },
    "Connections of the application.",
  );
}

/** The query of the application and that of the node proxy may have the same ports. */
function addDnsZones({ add }: Sink): void {
  const zone: Target = { kind: "zone", zone: 1 };
  const why = "Queries of the node proxy are told from those of the application.";
  add(
    { table: "raw", chain: "MESH_PRERT" },
    [UDP, { kind: "sport", port: 53 }, NOT_OF_PROXY],
    zone,
    why,
  );
  add(
    { table: "raw", chain: "MESH_OUTPUT" },
    [UDP, { kind: "dport", port: 53 }, OF_PROXY],
    zone,
    why,
  );
}
