/**
 * Settings as `KEY=VALUE` lines, for the log and for `--dry-run`.
 *
 * @module
 */
import type { CaptureInput } from "./parse.ts";
import type { CaptureSettings, PortSelection } from "./settings.ts";

/** Switches of the command that the rules do not depend on. */
export interface CommandSwitches {
  readonly networkNamespace: string;
  readonly cniMode: boolean;
  readonly reconcile: boolean;
  readonly cleanupOnly: boolean;
  readonly forceApply: boolean;
}

/** Settings as they were given. */
export function environmentDump(input: CaptureInput): string {
  return section("Mesh iptables environment:", [
    ["DATAPROXY_PORT", input.outboundPort],
    ["INBOUND_CAPTURE_PORT", input.inboundPort],
    ["MESH_INBOUND_INTERCEPTION_MODE", input.mode],
    ["MESH_INBOUND_TPROXY_MARK", input.mark],
    ["MESH_INBOUND_TPROXY_ROUTE_TABLE", input.routeTable],
    ["MESH_INBOUND_PORTS", input.inboundPorts],
    ["MESH_OUTBOUND_PORTS", input.outboundPorts],
    ["MESH_LOCAL_EXCLUDE_PORTS", input.inboundPortsExclude],
    ["MESH_EXCLUDE_INTERFACES", input.excludeInterfaces],
    ["MESH_SERVICE_CIDR", input.ranges],
    ["MESH_SERVICE_EXCLUDE_CIDR", input.rangesExclude],
    ["MESH_META_DNS_CAPTURE", input.dns],
    ["INVALID_DROP", input.dropInvalid],
  ]);
}

/** Settings after checks and defaults. */
export function settingsDump(settings: CaptureSettings, switches: CommandSwitches): string {
  const { groups, dns } = settings;
  return section("Mesh config:", [
    ["PROXY_PORT", settings.outboundPort],
    ["PROXY_INBOUND_CAPTURE_PORT", settings.inboundPort],
    ["PROXY_TUNNEL_PORT", settings.tunnelPort],
    ["PROXY_UID", settings.uids],
    ["PROXY_GID", settings.gids],
    ["INBOUND_INTERCEPTION_MODE", settings.mode],
    ["INBOUND_TPROXY_MARK", settings.mark],
    ["INBOUND_TPROXY_ROUTE_TABLE", settings.routeTable],
    ["INBOUND_PORTS_INCLUDE", selection(settings.inbound)],
    ["INBOUND_PORTS_EXCLUDE", settings.inboundExclude],
    ["OUTBOUND_OWNER_GROUPS_INCLUDE", groups.except ? "*" : groups.groups],
    ["OUTBOUND_OWNER_GROUPS_EXCLUDE", groups.except ? groups.groups : []],
    ["OUTBOUND_IP_RANGES_INCLUDE", settings.ranges === "all" ? "*" : settings.ranges],
    ["OUTBOUND_IP_RANGES_EXCLUDE", settings.rangesExclude],
    ["OUTBOUND_PORTS_INCLUDE", settings.outboundPorts],
    ["OUTBOUND_PORTS_EXCLUDE", settings.outboundPortsExclude],
    ["ORCH_VIRT_INTERFACES", settings.virtualInterfaces],
    ["ENABLE_INBOUND_IPV6", settings.ipv6],
    ["DUAL_STACK", settings.dualStack],
    ["DNS_CAPTURE", dns !== undefined],
    ["DROP_INVALID", settings.dropInvalid],
    ["CAPTURE_ALL_DNS", dns?.all ?? false],
    ["DNS_SERVERS", dns?.servers ?? []],
    ["NETWORK_NAMESPACE", switches.networkNamespace],
    ["CNI_MODE", switches.cniMode],
    ["EXCLUDE_INTERFACES", settings.excludeInterfaces],
    ["RECONCILE", switches.reconcile],
    ["CLEANUP_ONLY", switches.cleanupOnly],
    ["FORCE_APPLY", switches.forceApply],
  ]);
}

type Value = string | number | boolean | readonly (string | number)[];

function section(title: string, rows: readonly (readonly [key: string, value: Value])[]): string {
  return `${title}\n${rows.map(([key, value]) => `${key}=${shown(value)}\n`).join("")}\n`;
}

function shown(value: Value): string {
  const text = typeof value === "object" ? value.join(",") : String(value);
  // A value with a line break could pass for another line.
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}

function selection(ports: PortSelection): string | readonly number[] {
  return ports === "all" ? "*" : ports;
}
