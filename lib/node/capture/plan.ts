/**
 * From settings to rules. Pure.
 *
 * @module
 */
import { planDnsTcp, planDnsUdp } from "./plan_dns.ts";
import { planInbound } from "./plan_inbound.ts";
import { planOutbound } from "./plan_outbound.ts";
import { planTransparent } from "./plan_tproxy.ts";
import type { CapturePlan, Family, FamilyPlan, Rule, Table } from "./rule.ts";
import type { CaptureSettings } from "./settings.ts";
import { PASSTHROUGH_ADDRESS, type RuleSink } from "./sink.ts";

/** Makes the plan. */
export function planCapture(settings: CaptureSettings): CapturePlan {
  const families: Family[] = settings.ipv6 ? [4, 6] : [4];
  const transparent = settings.mode === "TPROXY" && settings.inbound.length > 0;
  return {
    families: families.map((family) => planFamily(settings, family)),
    ...transparent && { routing: { mark: settings.mark, table: settings.routeTable } },
    loopbackAddresses: settings.ipv6 ? [PASSTHROUGH_ADDRESS[6]] : [],
  };
}

function planFamily(settings: CaptureSettings, family: Family): FamilyPlan {
  const rules: Rule[] = [];
  const sink: RuleSink = {
    settings,
    family,
    loopback: family === 4 ? settings.loopback : "::1/128",
    add(position, matches, target, log) {
      if (settings.trace && log !== undefined) {
        const why = "Log the packet to NFLOG.";
        rules.push({ ...position, why, matches, target: { kind: "log", prefix: log } });
      }
      rules.push({ ...position, matches, target });
    },
  };
  planInterfaces(sink);
  planInbound(sink);
  planOutbound(sink, () => planDnsTcp(sink));
  planDnsUdp(sink);
  planTransparent(sink);
  return { family, rules };
}

/** Interfaces that are left out, and invalid packets. */
function planInterfaces({ settings, add }: RuleSink): void {
  const tables: Table[] = settings.mode === "TPROXY" ? ["nat", "mangle"] : ["nat"];
  const why = "Never capture traffic of an excluded interface.";
  for (const device of settings.excludeInterfaces) {
    for (const table of tables) {
      add({ table, chain: "PREROUTING", why }, [{ kind: "in", device }], { kind: "return" });
      add({ table, chain: "OUTPUT", why }, [{ kind: "out", device }], { kind: "return" });
    }
  }
  for (const device of settings.virtualInterfaces) {
    add(
      {
        table: "nat",
        chain: "PREROUTING",
        insert: 1,
        why: "Traffic from a virtual machine is not inbound traffic.",
      },
      [{ kind: "in", device }],
      { kind: "return" },
    );
  }
  if (!settings.dropInvalid) return;
  add(
    {
      table: "mangle",
      chain: "PREROUTING",
      why: "Drop packets outside of a known connection instead of resetting the connection.",
    },
    [{ kind: "state", states: ["INVALID"] }],
    { kind: "jump", chain: "MESH_DROP" },
  );
  const drop = { table: "mangle", chain: "MESH_DROP", why: "Drop the packet." } as const;
  add(drop, [], { kind: "drop" });
}
