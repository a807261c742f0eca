/**
 * Checks settings as users write them. Everything that passes is made of letters that cannot change
 * the meaning of a line of `iptables-restore`.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { isCidr, isIp, isIpv4 } from "../../kit/text/mod.ts";
import type {
  CaptureMode,
  CaptureSettings,
  DnsCapture,
  OwnerGroups,
  PortSelection,
} from "./settings.ts";

/** Settings as texts of flags and variables. */
export interface CaptureInput {
  readonly outboundPort: string;
  readonly inboundPort: string;
  readonly tunnelPort: string;
  /** Empty: `REDIRECT`. */
  readonly mode: string;
  readonly mark: string;
  readonly routeTable: string;
  /** Comma-separated; empty: the user that the host has for the proxy. */
  readonly uids: string;
  readonly gids: string;
  readonly inboundPorts: string;
  readonly inboundPortsExclude: string;
  readonly outboundPorts: string;
  readonly outboundPortsExclude: string;
  readonly ranges: string;
  readonly rangesExclude: string;
  readonly groups: string;
  readonly groupsExclude: string;
  readonly virtualInterfaces: string;
  readonly excludeInterfaces: string;
  readonly loopback: string;
  readonly dualStack: boolean;
  readonly dns: boolean;
  readonly allDns: boolean;
  readonly dropInvalid: boolean;
  readonly trace: boolean;
}

/** Facts about the host that settings depend on. */
export interface CaptureHost {
  /** The workload has addresses of these IP versions. */
  readonly ipv4: boolean;
  readonly ipv6: boolean;
  /** Nameservers of resolv.conf. */
  readonly nameservers: readonly string[];
  /** Ids of the proxy's user; absent when the host does not know it. */
  readonly proxyUser?: { readonly uid: string; readonly gid: string };
  /** Numeric ids of users and groups by name. */
  readonly users: ReadonlyMap<string, string>;
  readonly groups: ReadonlyMap<string, string>;
}

/** A setting whose value is refused. */
export class CaptureSettingError extends MeshError {
  /** The flag or variable. */
  readonly setting: string;
  /** The value, shortened. */
  readonly value: string;
  /** The form that it takes, such as `REDIRECT or TPROXY`. */
  readonly form: string;

  constructor({ setting, value, form }: Pick<CaptureSettingError, "setting" | "value" | "form">) {
    super("capture-setting", `invalid value ${JSON.stringify(value)} of ${setting}`, {
      remedy: `Give ${form}.`,
    });
    this.setting = setting;
    this.value = value;
    this.form = form;
  }
}

/** Id of the proxy's user and group in images that have no such user. */
export const DEFAULT_PROXY_ID = "1337";

const MAX_PORT = 65_535;
const MAX_ID = 4_294_967_295;
const MAX_ENTRIES = 1000;
/** IFNAMSIZ of Linux is 16, with the final zero; `+` at the end stands for any ending. */
const DEVICE = /^[A-Za-z0-9_][A-Za-z0-9_.@:-]{0,14}\+?$/;
/** The form that useradd and groupadd accept. */
const ACCOUNT = /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/;

/**
 * Checks all settings.
 *
 * @throws {CaptureSettingError} `capture-setting`, naming the flag or variable
 */
export function parseCapture(input: CaptureInput, host: CaptureHost): CaptureSettings {
  const ids = host.proxyUser ?? { uid: DEFAULT_PROXY_ID, gid: DEFAULT_PROXY_ID };
  const dns = dnsCapture(input, host);
  return {
    outboundPort: port("--dataproxy-port", input.outboundPort),
    inboundPort: port("--inbound-capture-port", input.inboundPort),
    tunnelPort: port("--inbound-tunnel-port", input.tunnelPort),
    mode: mode(input.mode),
    mark: integer({ of: "--mesh-inbound-tproxy-mark", text: input.mark, least: 1, most: MAX_ID }),
    routeTable: integer({
      of: "--mesh-inbound-tproxy-route-table",
      text: input.routeTable,
      least: 1,
      most: MAX_ID,
    }),
    uids: accounts("--proxy-uid", input.uids || ids.uid, host.users),
    gids: accounts("--proxy-gid", input.gids || ids.gid, host.groups),
    inbound: selection("--mesh-inbound-ports", input.inboundPorts),
    inboundExclude: ports("--mesh-local-exclude-ports", input.inboundPortsExclude),
    outboundPorts: ports("--mesh-outbound-ports", input.outboundPorts),
    outboundPortsExclude: ports("--mesh-local-outbound-ports-exclude", input.outboundPortsExclude),
    ranges: input.ranges.trim() === "*" ? "all" : ranges("--mesh-service-cidr", input.ranges),
    rangesExclude: ranges("--mesh-service-exclude-cidr", input.rangesExclude),
    groups: ownerGroups(input, host),
    virtualInterfaces: devices("--orch-virt-interfaces", input.virtualInterfaces),
    excludeInterfaces: devices("--mesh-exclude-interfaces", input.excludeInterfaces),
    loopback: loopback(input.loopback),
    ipv6: input.dualStack ? host.ipv6 : host.ipv6 && !host.ipv4,
    dualStack: input.dualStack,
    ...dns && { dns },
    dropInvalid: input.dropInvalid,
    trace: input.trace,
  };
}

function refuse(setting: string, text: string, form: string): never {
  const value = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  throw new CaptureSettingError({ setting, value, form });
}

/** Entries of a comma-separated list; blanks around them and empty ones are dropped. */
function entries(of: string, text: string): readonly string[] {
  const found = text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "");
  if (found.length > MAX_ENTRIES) refuse(of, text, `at most ${MAX_ENTRIES} entries`);
  return found;
}

function integer(
  { of, text, least, most }: { of: string; text: string; least: number; most: number },
): number {
  const value = Number(text);
  const valid = /^\d{1,10}$/.test(text) && value >= least && value <= most;
  return valid ? value : refuse(of, text, `a whole number from ${least} to ${most}`);
}

function port(of: string, text: string): number {
  return integer({ of, text, least: 1, most: MAX_PORT });
}

function ports(of: string, text: string): readonly number[] {
  return entries(of, text).map((entry) => port(of, entry));
}

function selection(of: string, text: string): PortSelection {
  return text.trim() === "*" ? "all" : ports(of, text);
}

function mode(text: string): CaptureMode {
  if (text === "" || text === "REDIRECT") return "REDIRECT";
  if (text === "TPROXY") return "TPROXY";
  return refuse("--mesh-inbound-interception-mode", text, "REDIRECT or TPROXY");
}

function ranges(of: string, text: string): readonly string[] {
  return entries(of, text).map((entry) => {
    if (isCidr(entry)) return entry;
    if (isIp(entry)) return `${entry}/${isIpv4(entry) ? 32 : 128}`;
    return refuse(of, entry, "address ranges such as 10.0.0.0/8 or 2001:db8::/32");
  });
}

function loopback(text: string): string {
  if (isCidr(text) && !text.includes(":")) return text;
  return refuse("MESH_OUTBOUND_IPV4_LOOPBACK_CIDR", text, "an IPv4 range such as 127.0.0.1/32");
}

function devices(of: string, text: string): readonly string[] {
  const form = "names of network interfaces, at most 15 letters each";
  return entries(of, text).map((entry) => DEVICE.test(entry) ? entry : refuse(of, entry, form));
}

/** Names that the host knows become their ids, so that rules read back are equal. */
function accounts(of: string, text: string, known: ReadonlyMap<string, string>): readonly string[] {
  return entries(of, text).map((entry) => {
    if (/^\d+$/.test(entry)) {
      return String(integer({ of, text: entry, least: 0, most: MAX_ID }));
    }
    if (!ACCOUNT.test(entry)) return refuse(of, entry, "ids or names, comma-separated");
    return known.get(entry) ?? entry;
  });
}

function ownerGroups(input: CaptureInput, host: CaptureHost): OwnerGroups {
  const except = input.groups.trim() === "*";
  const of = `MESH_OUTBOUND_OWNER_GROUPS${except ? "_EXCLUDE" : ""}`;
  const text = except ? input.groupsExclude : input.groups;
  return { except, groups: accounts(of, text, host.groups) };
}

function dnsCapture({ dns, allDns }: CaptureInput, host: CaptureHost): DnsCapture | undefined {
  if (!dns) return undefined;
  return { all: allDns, servers: allDns ? [] : host.nameservers.filter(isIp) };
}
