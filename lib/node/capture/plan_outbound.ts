/**
 * Rules of outbound connections.
 *
 * @module
 */
import { parseCidr, rangeContains } from "../../kit/text/mod.ts";
import { PASSTHROUGH_ADDRESS, rangesOf, type RulePosition, type RuleSink } from "./sink.ts";
import type { Match } from "./rule.ts";
import type { CaptureSettings } from "./settings.ts";

const TCP: Match = { kind: "protocol", protocol: "tcp" };
const OVER_LOOPBACK: Match = { kind: "out", device: "lo" };

function output(why: string): RulePosition {
  return { table: "nat", chain: "MESH_OUTPUT", why };
}

/**
 * Redirection of outbound connections to the proxy.
 *
 * @param dns adds the rules of DNS over TCP, at their place in the order
 */
export function planOutbound(sink: RuleSink, dns: () => void): void {
  const { settings, family, loopback, add } = sink;
  add(
    { table: "nat", chain: "OUTPUT", why: "Outbound connections." },
    [TCP],
    { kind: "jump", chain: "MESH_OUTPUT" },
    "JumpOutbound",
  );
  for (const port of settings.outboundPortsExclude) {
    add(output("An excluded outbound port."), [TCP, { kind: "dport", port }], { kind: "return" });
  }
  add(
    output("The proxy's connections to the workload behind it."),
    [OVER_LOOPBACK, { kind: "source", cidr: PASSTHROUGH_ADDRESS[family] }],
    { kind: "return" },
  );
  for (const id of settings.uids) planOwner(sink, { kind: "uid", id });
  for (const id of settings.gids) planOwner(sink, { kind: "gid", id });
  for (const matches of uncapturedGroups(settings)) {
    add(output("The group of the process is not captured."), matches, { kind: "return" });
  }
  dns();
  add(
    output("Connections to loopback."),
    [{ kind: "destination", cidr: loopback }],
    { kind: "return" },
  );
  for (const cidr of rangesOf(settings.rangesExclude, family)) {
    add(output("An excluded range."), [{ kind: "destination", cidr }], { kind: "return" });
  }
  for (const port of settings.outboundPorts) {
    add(output("A port that is captured at any address."), [TCP, { kind: "dport", port }], {
      kind: "jump",
      chain: "MESH_REDIRECT",
    });
  }
  planRanges(sink);
}

/** Rules for one user or group of the proxy. */
function planOwner({ settings, loopback, add }: RuleSink, owner: Match & { id: string }): void {
  const notOwner = { ...owner, not: true } as Match;
  // Queries of the agent to a nameserver on this host are not inbound connections.
  const ports: Match = owner.kind === "uid" && settings.dns !== undefined
    ? { kind: "dports", ports: [53, settings.tunnelPort], not: true }
    : { kind: "dport", port: settings.tunnelPort, not: true };
  add(
    output("The workload calls itself through the proxy: capture it as inbound."),
    [OVER_LOOPBACK, { kind: "destination", cidr: loopback, not: true }, TCP, ports, owner],
    { kind: "jump", chain: "MESH_IN_REDIRECT" },
  );
  if (!includesLoopback(settings)) {
    const dns: Match[] = settings.dns ? [TCP, { kind: "dport", port: 53, not: true }] : [];
    add(
      output("The workload calls itself without the proxy."),
      [OVER_LOOPBACK, ...dns, notOwner],
      { kind: "return" },
    );
  }
  add(output("Connections of the proxy."), [owner], { kind: "return" });
}

/** Reports if a range to capture begins in loopback. */
function includesLoopback({ ranges }: CaptureSettings): boolean {
  if (ranges === "all") return false;
  return ranges.some((range) => {
    const address = range.split("/")[0] ?? "";
    const loopback = parseCidr(range)?.family === 6 ? "::1/128" : "127.0.0.0/8";
    return rangeContains(loopback, address);
  });
}

/** Conditions under which the group of a process excludes its traffic; one rule for each. */
export function uncapturedGroups({ groups }: CaptureSettings): readonly (readonly Match[])[] {
  if (groups.except) return groups.groups.map((id) => [{ kind: "gid", id }]);
  return [groups.groups.map((id) => ({ kind: "gid", id, not: true }))];
}

function planRanges({ settings, family, add }: RuleSink): void {
  const redirect = { kind: "jump", chain: "MESH_REDIRECT" } as const;
  const virtual: RulePosition = {
    table: "nat",
    chain: "PREROUTING",
    insert: 1,
    why: "Traffic from a virtual machine is captured as outbound.",
  };
  if (settings.ranges === "all") {
    add(output("All other destinations are captured."), [], redirect);
    for (const device of settings.virtualInterfaces) {
      add(virtual, [{ kind: "in", device }], redirect);
    }
    return;
  }
  for (const cidr of rangesOf(settings.ranges, family)) {
    for (const device of settings.virtualInterfaces) {
      add(virtual, [{ kind: "in", device }, { kind: "destination", cidr }], redirect);
    }
    add(output("A captured range."), [{ kind: "destination", cidr }], redirect);
  }
}
