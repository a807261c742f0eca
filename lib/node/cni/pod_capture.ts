/**
 * The settings of capture of a pod. Pure.
 *
 * @module
 */
import { MeshError, parseBoolean } from "../../kit/base/mod.ts";
import {
  type CaptureHost,
  type CaptureInput,
  CaptureSettingError,
  type CaptureSettings,
  DEFAULT_PROXY_ID,
  parseCapture,
} from "../capture/mod.ts";
import { variableOf } from "./decide.ts";
import { CniFault } from "./fault.ts";
import {
  findSetting,
  PLACES,
  type Places,
  type PodSetting,
  type PodSettingName,
  SWITCHES,
} from "./pod_settings.ts";
import type { CniPod, PodContainer } from "./types.ts";

/** Code of errors in the settings of a pod; the standard leaves codes from 100 to plugins. */
export const POD_CODE = 100;

/** Ports of the agent and of the proxy's admin listeners, which others call without the mesh. */
const NEVER_INBOUND = ["15090", "15021", "15020"];

/** Settings that a pod has when it says nothing. */
const DEFAULTS: Readonly<Record<PodSettingName, string>> = {
  outboundPort: "15001",
  inboundPort: "15006",
  mode: "REDIRECT",
  mark: "1337",
  inboundPorts: "*",
  inboundPortsExclude: "",
  outboundPorts: "",
  outboundPortsExclude: "",
  ranges: "*",
  rangesExclude: "",
  groups: "*",
  groupsExclude: "",
  virtualInterfaces: "",
  excludeInterfaces: "",
  loopback: "127.0.0.1/32",
};

/** Names of the settings in messages of `parseCapture`. */
const NAMES: Readonly<Record<string, PodSettingName>> = {
  "--dataproxy-port": "outboundPort",
  "--inbound-capture-port": "inboundPort",
  "--mesh-inbound-interception-mode": "mode",
  "--mesh-inbound-tproxy-mark": "mark",
  "--mesh-inbound-ports": "inboundPorts",
  "--mesh-local-exclude-ports": "inboundPortsExclude",
  "--mesh-outbound-ports": "outboundPorts",
  "--mesh-local-outbound-ports-exclude": "outboundPortsExclude",
  "--mesh-service-cidr": "ranges",
  "--mesh-service-exclude-cidr": "rangesExclude",
  MESH_OUTBOUND_OWNER_GROUPS: "groups",
  MESH_OUTBOUND_OWNER_GROUPS_EXCLUDE: "groupsExclude",
  "--orch-virt-interfaces": "virtualInterfaces",
  "--mesh-exclude-interfaces": "excludeInterfaces",
  MESH_OUTBOUND_IPV4_LOOPBACK_CIDR: "loopback",
};

/** A pod with its proxy, and the nameservers it will have; `undefined`: they are not known. */
export interface PodCase {
  readonly pod: CniPod;
  readonly proxy: PodContainer;
  readonly nameservers: readonly string[] | undefined;
}

/**
 * The settings as `mesh-init` would have them in this pod.
 *
 * @param host facts about the pod's network namespace; its nameservers are not read
 * @throws {CniFault} 100 that names the pod, the place, the value, and the remedy
 */
export function captureSettingsOf(given: PodCase, host: CaptureHost): CaptureSettings {
  const found = settingsOf(given);
  try {
    const nameservers = given.nameservers ?? [];
    return parseCapture(captureInputOf(given, found), { ...host, nameservers });
  } catch (error) {
    if (!(error instanceof CaptureSettingError)) throw error;
    const name = NAMES[error.setting];
    const place = name === undefined ? error.setting : found.get(name)?.place ?? error.setting;
    throw wrong(given.pod, { place, value: error.value }, `Give ${error.form}`);
  }
}

function settingsOf({ pod, proxy }: PodCase): ReadonlyMap<PodSettingName, PodSetting> {
  const found = new Map<PodSettingName, PodSetting>();
  for (const [name, places] of Object.entries(PLACES) as [PodSettingName, Places][]) {
    const setting = findSetting(pod, proxy, places);
    if (setting !== undefined) found.set(name, setting);
  }
  return found;
}

function captureInputOf(
  { pod, proxy, nameservers }: PodCase,
  found: ReadonlyMap<PodSettingName, PodSetting>,
): CaptureInput {
  const texts = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, preset]) => [
      name,
      found.get(name as PodSettingName)?.value ?? preset,
    ]),
  ) as Record<PodSettingName, string>;
  const dns = switchOf(pod, proxy, SWITCHES.dns);
  return {
    ...texts,
    inboundPortsExclude: withNeverInbound(texts.inboundPortsExclude),
    tunnelPort: "15008",
    routeTable: "133",
    ...idsOf(pod, proxy),
    dns,
    allDns: dns && nameservers === undefined,
    dropInvalid: switchOf(pod, proxy, SWITCHES.dropInvalid),
    dualStack: switchOf(pod, proxy, SWITCHES.dualStack),
    trace: switchOf(pod, proxy, SWITCHES.trace),
  };
}

/** In the order in which the injector writes them, so that the rules are in the same order. */
function withNeverInbound(text: string): string {
  const ports = text.split(",").map((port) => port.trim()).filter((port) => port !== "");
  const missing = NEVER_INBOUND.filter((port) => !ports.includes(port));
  return [
    ...missing.filter((port) => port !== "15020"),
    ...ports,
    ...missing.filter((port) => port === "15020"),
  ].join(",");
}

/**
 * The ids by which the proxy's own traffic is told from that of the application. A proxy that runs as
 * root is known by its group, and by the id that the injector names.
 */
function idsOf(pod: CniPod, proxy: PodContainer): Pick<CaptureInput, "uids" | "gids"> {
  const own = { ...pod.spec?.securityContext, ...proxy.securityContext };
  const named = findSetting(pod, proxy, { flag: ["proxy-uid", "u"] })?.value;
  return {
    uids: named || (own.runAsUser ? String(own.runAsUser) : DEFAULT_PROXY_ID),
    gids: own.runAsGroup ? String(own.runAsGroup) : DEFAULT_PROXY_ID,
  };
}

function switchOf(pod: CniPod, proxy: PodContainer, name: string): boolean {
  const value = variableOf(proxy, name);
  if (value === undefined || value === "") return false;
  const read = parseBoolean(value);
  if (read !== undefined) return read;
  const place = `variable ${name} of the container ${proxy.name}`;
  throw wrong(pod, { place, value }, "Give true or false");
}

function wrong(
  { metadata: { namespace, name } }: CniPod,
  { place, value }: PodSetting,
  remedy: string,
): MeshError {
  return new CniFault(
    POD_CODE,
    `pod ${namespace}/${name}: ${place}: invalid value ${JSON.stringify(value.slice(0, 80))}`,
    { remedy: `${remedy}, and create the pod again.` },
  );
}
