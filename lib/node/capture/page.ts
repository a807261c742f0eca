/**
 * The tables of the documentation: the way of packets, and the rules. Pure.
 *
 * @module
 */
import { planCapture } from "./plan.ts";
import { conditionWords } from "./render.ts";
import { type FamilyPlan, type Hook, orderedRules, ownChains, type Rule, TABLES } from "./rule.ts";
import { HOOKS } from "./rule.ts";
import type { CaptureMode, CaptureSettings } from "./settings.ts";
import { type Packet, type Verdict, walk } from "./walk.ts";

/** Settings that the tables are made for: everything is captured. */
const SETTINGS: Omit<CaptureSettings, "mode"> = {
  outboundPort: 15001,
  inboundPort: 15006,
  tunnelPort: 15008,
  mark: 1337,
  routeTable: 133,
  uids: ["1337"],
  gids: ["1337"],
  inbound: "all",
  inboundExclude: [15020],
  outboundPorts: [],
  outboundPortsExclude: [],
  ranges: "all",
  rangesExclude: [],
  groups: { except: true, groups: [] },
  virtualInterfaces: [],
  excludeInterfaces: [],
  loopback: "127.0.0.1/32",
  ipv6: false,
  dualStack: false,
  dns: { all: true, servers: [] },
  dropInvalid: false,
  trace: false,
};

const OWN = "10.1.0.5";
const FAR = "10.2.0.9";
const PROXY = { uid: "1337", gid: "1337" };
const WORKLOAD = { uid: "1000", gid: "1000" };

interface Example {
  readonly what: string;
  readonly hook: Hook;
  readonly packet: Partial<Packet>;
}

const EXAMPLES: readonly Example[] = [
  { what: "from outside to the workload", hook: "PREROUTING", packet: inbound({}) },
  {
    what: "from outside, a later packet",
    hook: "PREROUTING",
    packet: inbound({ state: "ESTABLISHED" }),
  },
  {
    what: "from outside to an excluded port",
    hook: "PREROUTING",
    packet: inbound({ dport: 15020 }),
  },
  { what: "from the workload to outside", hook: "OUTPUT", packet: outbound(WORKLOAD) },
  { what: "from the proxy to outside", hook: "OUTPUT", packet: outbound(PROXY) },
  {
    what: "from the proxy to the workload, from 127.0.0.6",
    hook: "OUTPUT",
    packet: { ...own(PROXY), source: "127.0.0.6" },
  },
  {
    what: "from the proxy to the workload, in the client's name",
    hook: "OUTPUT",
    packet: { ...own(PROXY), source: FAR, mark: 1337 },
  },
  {
    what: "the answer of the workload to it",
    hook: "OUTPUT",
    packet: outbound({ ...WORKLOAD, connmark: 1337, state: "ESTABLISHED" }),
  },
  { what: "from the workload to its own address", hook: "OUTPUT", packet: own(WORKLOAD) },
  { what: "from the proxy to its own workload by a service", hook: "OUTPUT", packet: own(PROXY) },
  {
    what: "from the workload to 127.0.0.1",
    hook: "OUTPUT",
    packet: { ...own(WORKLOAD), destination: "127.0.0.1" },
  },
  {
    what: "DNS query of the workload, UDP",
    hook: "OUTPUT",
    packet: outbound({ ...WORKLOAD, protocol: "udp", dport: 53 }),
  },
  {
    what: "DNS query of the workload, TCP",
    hook: "OUTPUT",
    packet: outbound({ ...WORKLOAD, dport: 53 }),
  },
  {
    what: "DNS query of the agent, UDP",
    hook: "OUTPUT",
    packet: outbound({ ...PROXY, protocol: "udp", dport: 53 }),
  },
];

function inbound(more: Partial<Packet>): Partial<Packet> {
  return { in: "eth0", source: FAR, destination: OWN, dport: 8080, ...more };
}

function outbound(more: Partial<Packet>): Partial<Packet> {
  return { out: "eth0", ...more };
}

function own(more: Partial<Packet>): Partial<Packet> {
  return { out: "lo", destination: OWN, ...more };
}

/** The tables of a mode as Markdown. */
export function capturePage(mode: CaptureMode): string {
  const [plan] = planCapture({ ...SETTINGS, mode }).families;
  if (plan === undefined) return "";
  return `${waysTable(plan)}\n\nThe rules, in the order that packets pass them:\n\n${
    rulesTable(plan)
  }\n`;
}

function waysTable(plan: FamilyPlan): string {
  const rows = EXAMPLES.map(({ what, hook, packet }) => {
    const { verdict, passed, mark, zone } = walk(plan, hook, {
      protocol: "tcp",
      source: OWN,
      destination: FAR,
      sport: 40_000,
      dport: 80,
      ...packet,
    });
    const way = passed.map((rule) => `${rule.table} ${rule.chain}`);
    const distinct = way.filter((step, i) => step !== way[i - 1]);
    const marks = [mark > 0 ? `mark ${mark}` : "", zone > 0 ? `zone ${zone}` : ""];
    const notes = marks.filter((note) => note !== "").join(", ");
    return [what, distinct.join(" → ") || "none matches", verdictText(verdict), notes];
  });
  return table(["Packet", "Chains with a matching rule", "Result", "Mark, conntrack zone"], rows);
}

function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case "accept":
      return "not captured";
    case "drop":
      return "dropped";
    case "redirect":
      return `port ${verdict.port}`;
    case "tproxy":
      return `port ${verdict.port}, addresses kept`;
  }
}

function rulesTable(plan: FamilyPlan): string {
  const rows = TABLES.flatMap((name) =>
    [...HOOKS, ...ownChains(plan.rules, name)].flatMap((chain) =>
      orderedRules(plan.rules, name, chain).map((rule: Rule) => [
        name,
        chain,
        `\`${conditionWords(rule).join(" ")}\``,
        rule.why,
      ])
    )
  );
  return table(["Table", "Chain", "Rule", "Purpose"], rows);
}

/** A table with aligned columns, as `deno fmt` writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => (row[i] ?? "").length))
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, i) => (cells[i] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}
