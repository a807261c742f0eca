/**
 * The places at which a pod says what is captured. Pure.
 *
 * @module
 */
import type { CaptureInput } from "../capture/mod.ts";
import { variableOf } from "./decide.ts";
import type { CniPod, PodContainer } from "./types.ts";

/** A setting of a pod, and where it is written. */
export interface PodSetting {
  readonly value: string;
  /** For messages: `annotation NAME`, or `variable NAME of the container CONTAINER`. */
  readonly place: string;
}

/** The places of one setting, the first of which counts. */
export interface Places {
  /** Names, in the order in which they count. */
  readonly annotations?: readonly string[];
  /** Names of a flag of `mesh-iptables`, long and short, as the injected validation has it. */
  readonly flag?: readonly [long: string, short: string];
  /** Variable of the proxy's container. */
  readonly variable?: string;
  /** An empty text says nothing; of others it says that there are none. */
  readonly emptySaysNothing?: boolean;
}

const TRAFFIC = "traffic.sidecar.mesh.io";

/** The container that tries the rules. It has the flags that the injector would give `mesh-init`. */
const VALIDATION = "mesh-validation";

/** Settings that a pod may say as text. */
export type PodSettingName = Exclude<
  keyof CaptureInput,
  | "tunnelPort"
  | "routeTable"
  | "uids"
  | "gids"
  | "dualStack"
  | "dns"
  | "allDns"
  | "dropInvalid"
  | "trace"
>;

/** Places of the settings, by field. */
export const PLACES: Readonly<Record<PodSettingName, Places>> = {
  outboundPort: { flag: ["dataproxy-port", "p"] },
  inboundPort: { flag: ["inbound-capture-port", "z"] },
  mode: {
    emptySaysNothing: true,
    annotations: ["sidecar.mesh.io/interceptionMode"],
    flag: ["mesh-inbound-interception-mode", "m"],
    variable: "INBOUND_INTERCEPTION_MODE",
  },
  mark: { emptySaysNothing: true, variable: "INBOUND_TPROXY_MARK" },
  inboundPorts: {
    annotations: [`${TRAFFIC}/includeInboundPorts`],
    flag: ["mesh-inbound-ports", "b"],
    variable: "MESH_INBOUND_PORTS",
  },
  inboundPortsExclude: {
    annotations: [`${TRAFFIC}/excludeInboundPorts`],
    flag: ["mesh-local-exclude-ports", "d"],
    variable: "MESH_LOCAL_EXCLUDE_PORTS",
  },
  outboundPorts: {
    emptySaysNothing: true,
    annotations: [`${TRAFFIC}/includeOutboundPorts`],
    flag: ["mesh-outbound-ports", "q"],
    variable: "MESH_OUTBOUND_PORTS",
  },
  outboundPortsExclude: {
    emptySaysNothing: true,
    annotations: [`${TRAFFIC}/excludeOutboundPorts`],
    flag: ["mesh-local-outbound-ports-exclude", "o"],
    variable: "MESH_LOCAL_OUTBOUND_PORTS_EXCLUDE",
  },
  ranges: {
    annotations: [`${TRAFFIC}/includeOutboundIPRanges`],
    flag: ["mesh-service-cidr", "i"],
    variable: "MESH_SERVICE_CIDR",
  },
  rangesExclude: {
    annotations: [`${TRAFFIC}/excludeOutboundIPRanges`],
    flag: ["mesh-service-exclude-cidr", "x"],
    variable: "MESH_SERVICE_EXCLUDE_CIDR",
  },
  groups: { variable: "MESH_OUTBOUND_OWNER_GROUPS" },
  groupsExclude: { variable: "MESH_OUTBOUND_OWNER_GROUPS_EXCLUDE" },
  virtualInterfaces: {
    emptySaysNothing: true,
    annotations: ["mesh.io/reroute-virtual-interfaces", `${TRAFFIC}/kubevirtInterfaces`],
    flag: ["orch-virt-interfaces", "k"],
    variable: "ORCH_VIRT_INTERFACES",
  },
  excludeInterfaces: {
    emptySaysNothing: true,
    annotations: [`${TRAFFIC}/excludeInterfaces`],
    flag: ["mesh-exclude-interfaces", "c"],
    variable: "MESH_EXCLUDE_INTERFACES",
  },
  loopback: { variable: "MESH_OUTBOUND_IPV4_LOOPBACK_CIDR" },
};

/** Variables of the proxy's container that are true or false, by field. */
export const SWITCHES: Readonly<Record<"dns" | "dropInvalid" | "dualStack" | "trace", string>> = {
  dns: "MESH_META_DNS_CAPTURE",
  dropInvalid: "INVALID_DROP",
  dualStack: "MESH_DUAL_STACK",
  trace: "IPTABLES_TRACE_LOGGING",
};

/** Finds a setting of a pod; `undefined` if the pod says nothing of it. */
export function findSetting(
  pod: CniPod,
  proxy: PodContainer,
  { annotations = [], flag, variable, emptySaysNothing = false }: Places,
): PodSetting | undefined {
  for (const name of annotations) {
    const value = pod.metadata.annotations?.[name];
    if (value === undefined || emptySaysNothing && value === "") continue;
    return { value, place: `annotation ${name}` };
  }
  const validation = pod.spec?.initContainers?.find(({ name }) => name === VALIDATION);
  const given = flag && validation && flagValue(validation.args ?? [], flag);
  if (given !== undefined) {
    return { value: given, place: `flag --${flag?.[0]} of the container ${VALIDATION}` };
  }
  const value = variable && variableOf(proxy, variable);
  if (value === undefined || emptySaysNothing && value === "") return undefined;
  return { value, place: `variable ${variable} of the container ${proxy.name}` };
}

/** The value of a flag, as `-b VALUE`, `--name VALUE` or `--name=VALUE`; the last one counts. */
function flagValue(
  args: readonly string[],
  [long, short]: readonly [string, string],
): string | undefined {
  const at = args.findLastIndex((arg) =>
    arg === `-${short}` || arg === `--${long}` || arg.startsWith(`--${long}=`)
  );
  const arg = args[at];
  if (arg === undefined) return undefined;
  return arg.startsWith(`--${long}=`) ? arg.slice(long.length + 3) : args[at + 1];
}
