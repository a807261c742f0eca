/**
 * Rules of DNS capture.
 *
 * @module
 */
import { hostsOf, type RulePosition, type RuleSink } from "./sink.ts";
import { uncapturedGroups } from "./plan_outbound.ts";
import type { Match, Rule } from "./rule.ts";
import { DNS_PROXY_PORT } from "./settings.ts";

const TCP: Match = { kind: "protocol", protocol: "tcp" };
const UDP: Match = { kind: "protocol", protocol: "udp" };
const TO_DNS: Match = { kind: "dport", port: 53 };

/** Zones of conntrack: the agent's queries to nameservers, and the workload's queries to the agent. */
const UPSTREAM_ZONE = 1;
const WORKLOAD_ZONE = 2;

/** Queries over TCP. */
export function planDnsTcp(sink: RuleSink): void {
  for (const server of servers(sink)) {
    sink.add(
      { table: "nat", chain: "MESH_OUTPUT", why: "DNS over TCP goes to the agent." },
      [TCP, TO_DNS, ...to(server)],
      { kind: "redirect", port: DNS_PROXY_PORT },
    );
  }
}

/** Queries over UDP, with zones that keep both halves of a relayed query apart in conntrack. */
export function planDnsUdp(sink: RuleSink): void {
  const { settings, add } = sink;
  if (settings.dns === undefined) return;
  for (const table of ["nat", "raw"] as const) {
    const why = "Outbound DNS over UDP.";
    add({ table, chain: "OUTPUT", why }, [UDP], { kind: "jump", chain: "MESH_OUTPUT" });
  }
  const nat = (why: string): RulePosition => ({ table: "nat", chain: "MESH_OUTPUT", why });
  for (const owner of owners(sink)) {
    const why = "Queries of the agent and the proxy go to the nameserver.";
    add(nat(why), [UDP, TO_DNS, owner], { kind: "return" });
  }
  for (const matches of uncapturedGroups(settings)) {
    const why = "The group of the process is not captured.";
    add(nat(why), [UDP, TO_DNS, ...matches], { kind: "return" });
  }
  for (const server of servers(sink)) {
    add(nat("DNS over UDP goes to the agent."), [UDP, TO_DNS, ...to(server)], {
      kind: "redirect",
      port: DNS_PROXY_PORT,
    });
  }
  planZones(sink);
}

function planZones(sink: RuleSink): void {
  const raw = (chain: Rule["chain"], why: string): RulePosition => ({ table: "raw", chain, why });
  const zone = (zone: number) => ({ kind: "zone", zone }) as const;
  for (const owner of owners(sink)) {
    const upstream = raw("MESH_OUTPUT", "Queries of the agent to the nameserver.");
    sink.add(upstream, [UDP, TO_DNS, owner], zone(UPSTREAM_ZONE));
    const answers = raw("MESH_OUTPUT", "Answers of the agent to the workload.");
    const from: Match = { kind: "sport", port: DNS_PROXY_PORT };
    sink.add(answers, [UDP, from, owner], zone(WORKLOAD_ZONE));
  }
  for (const server of servers(sink)) {
    const queries = raw("MESH_OUTPUT", "Queries of the workload.");
    sink.add(queries, [UDP, TO_DNS, ...to(server)], zone(WORKLOAD_ZONE));
    const from: Match[] = server === undefined ? [] : [{ kind: "source", cidr: server }];
    const answers = raw("PREROUTING", "Answers of the nameserver to the agent.");
    sink.add(answers, [UDP, { kind: "sport", port: 53 }, ...from], zone(UPSTREAM_ZONE));
  }
}

/** Users and groups of the proxy. */
function owners({ settings }: RuleSink): readonly Match[] {
  return [
    ...settings.uids.map((id): Match => ({ kind: "uid", id })),
    ...settings.gids.map((id): Match => ({ kind: "gid", id })),
  ];
}

/** Captured nameservers as ranges; `undefined` stands for all of them. */
function servers({ settings, family }: RuleSink): readonly (string | undefined)[] {
  if (settings.dns === undefined) return [];
  return settings.dns.all ? [undefined] : hostsOf(settings.dns.servers, family);
}

function to(server: string | undefined): readonly Match[] {
  return server === undefined ? [] : [{ kind: "destination", cidr: server }];
}
