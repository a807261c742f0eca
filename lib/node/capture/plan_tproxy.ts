/**
 * Rules that keep connections of TPROXY together: marks on packets and connections.
 *
 * @module
 */
import { PASSTHROUGH_ADDRESS, type RulePosition, type RuleSink } from "./sink.ts";
import type { Match, Rule } from "./rule.ts";
import { OUTBOUND_MARK } from "./settings.ts";

const TCP: Match = { kind: "protocol", protocol: "tcp" };
const OVER_LOOPBACK: Match = { kind: "out", device: "lo" };
const FROM_LOOPBACK: Match = { kind: "in", device: "lo" };

/** The marks. Nothing in mode REDIRECT. */
export function planTransparent({ settings, family, loopback, add }: RuleSink): void {
  if (settings.mode !== "TPROXY") return;
  const marked: Match = { kind: "mark", mark: settings.mark };
  const at = (chain: Rule["chain"], why: string, insert?: number): RulePosition => ({
    table: "mangle",
    chain,
    why,
    ...insert && { insert },
  });
  add(
    at("PREROUTING", "Remember the mark that the proxy set on its connection to the workload."),
    [TCP, marked],
    { kind: "connmark", operation: "save" },
  );
  add(
    at("OUTPUT", "The proxy's connection to the workload, marked already."),
    [TCP, OVER_LOOPBACK, marked],
    { kind: "return" },
  );
  const owners: Match[] = [
    ...settings.uids.map((id): Match => ({ kind: "uid", id })),
    ...settings.gids.map((id): Match => ({ kind: "gid", id })),
  ];
  for (const owner of owners) {
    add(
      at("OUTPUT", "The workload calls itself through the proxy: mark it for inbound capture."),
      [{ kind: "destination", cidr: loopback, not: true }, TCP, OVER_LOOPBACK, owner],
      { kind: "mark", mark: OUTBOUND_MARK },
    );
  }
  add(
    at("OUTPUT", "Answers of the workload are routed to the proxy's socket."),
    [TCP, { kind: "connmark", mark: settings.mark }],
    { kind: "connmark", operation: "restore" },
  );
  add(
    at("MESH_INBOUND", "The proxy's connection to the workload is not captured again.", 1),
    [TCP, marked],
    { kind: "return" },
  );
  add(
    at("MESH_INBOUND", "The proxy's connections to the workload behind it.", 2),
    [TCP, { kind: "source", cidr: PASSTHROUGH_ADDRESS[family] }, FROM_LOOPBACK],
    { kind: "return" },
  );
  add(
    at("MESH_INBOUND", "The workload calls itself without the proxy.", 3),
    [TCP, FROM_LOOPBACK, { kind: "mark", mark: OUTBOUND_MARK, not: true }],
    { kind: "return" },
  );
}
