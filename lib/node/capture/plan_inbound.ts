/**
 * Rules of inbound connections.
 *
 * @module
 */
import type { Match, Rule, Table } from "./rule.ts";
import type { RuleSink } from "./sink.ts";

const TCP: Match = { kind: "protocol", protocol: "tcp" };

/** Redirection of inbound connections to the proxy, by REDIRECT in nat or TPROXY in mangle. */
export function planInbound(sink: RuleSink): void {
  const { settings, add } = sink;
  add(
    { table: "nat", chain: "MESH_INBOUND", why: "The proxy itself listens on the tunnel port." },
    [TCP, { kind: "dport", port: settings.tunnelPort }],
    { kind: "return" },
  );
  add(
    {
      table: "nat",
      chain: "MESH_REDIRECT",
      why: "Send the connection to the proxy's outbound port.",
    },
    [TCP],
    { kind: "redirect", port: settings.outboundPort },
  );
  add(
    {
      table: "nat",
      chain: "MESH_IN_REDIRECT",
      why: "Send the connection to the proxy's inbound port.",
    },
    [TCP],
    { kind: "redirect", port: settings.inboundPort },
    "InboundCapture",
  );
  if (settings.inbound.length === 0) return;
  const table: Table = settings.mode === "TPROXY" ? "mangle" : "nat";
  if (table === "mangle") planTproxyTargets(sink);
  add(
    { table, chain: "PREROUTING", why: "Inbound connections." },
    [TCP],
    { kind: "jump", chain: "MESH_INBOUND" },
    "JumpInbound",
  );
  if (settings.inbound === "all") {
    for (const port of settings.inboundExclude) {
      const why = "An excluded inbound port.";
      const matches: Match[] = [TCP, { kind: "dport", port }];
      add({ table, chain: "MESH_INBOUND", why }, matches, { kind: "return" });
    }
    captureWith(sink, table, []);
    return;
  }
  for (const port of settings.inbound) captureWith(sink, table, [{ kind: "dport", port }]);
}

function captureWith({ add }: RuleSink, table: Table, ports: readonly Match[]): void {
  const chain: Rule["chain"] = "MESH_INBOUND";
  if (table === "nat") {
    const why = "Capture the inbound connection.";
    const jump = { kind: "jump", chain: "MESH_IN_REDIRECT" } as const;
    add({ table, chain, why }, [TCP, ...ports], jump);
    return;
  }
  add(
    { table, chain, why: "Packets of a connection that is captured already." },
    [TCP, ...ports, { kind: "state", states: ["RELATED", "ESTABLISHED"] }],
    { kind: "jump", chain: "MESH_DIVERT" },
  );
  add(
    { table, chain, why: "Capture the inbound connection." },
    [TCP, ...ports],
    { kind: "jump", chain: "MESH_TPROXY" },
  );
}

function planTproxyTargets({ settings, loopback, add }: RuleSink): void {
  const divert = {
    table: "mangle",
    chain: "MESH_DIVERT",
    why: "The mark routes the packet to the local socket.",
  } as const;
  add(divert, [], { kind: "mark", mark: settings.mark });
  add({ ...divert, why: "The packet stays as it is." }, [], { kind: "accept" });
  add(
    {
      table: "mangle",
      chain: "MESH_TPROXY",
      why: "Give the connection to the proxy's inbound port with both addresses kept.",
    },
    [{ kind: "destination", cidr: loopback, not: true }, TCP],
    { kind: "tproxy", port: settings.inboundPort, mark: settings.mark },
  );
}
