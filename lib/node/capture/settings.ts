/**
 * Settings of traffic capture as checked data.
 *
 * @module
 */

/** Redirection of inbound connections to the proxy. */
export type CaptureMode = "REDIRECT" | "TPROXY";

/** Ports to capture: all of them, or those listed. */
export type PortSelection = "all" | readonly number[];

/** Groups whose outbound traffic is captured: the listed ones, or all except the listed ones. */
export interface OwnerGroups {
  readonly except: boolean;
  /** Numeric ids, or names that the host does not know. */
  readonly groups: readonly string[];
}

export interface DnsCapture {
  /** Capture queries to any server; otherwise to `servers` only. */
  readonly all: boolean;
  /** Addresses of the nameservers of the workload, both IP versions. */
  readonly servers: readonly string[];
}

/** Every setting that the rules depend on. */
export interface CaptureSettings {
  /** Port of the proxy's outbound listener. */
  readonly outboundPort: number;
  /** Port of the proxy's inbound listener. */
  readonly inboundPort: number;
  /** Port of tunnelled inbound connections, which are never redirected. */
  readonly tunnelPort: number;
  readonly mode: CaptureMode;
  /** Packet mark of TPROXY. */
  readonly mark: number;
  /** Routing table of TPROXY. */
  readonly routeTable: number;
  /** Users and groups of the proxy; their outbound traffic is not captured. */
  readonly uids: readonly string[];
  readonly gids: readonly string[];
  /** Inbound ports to capture. */
  readonly inbound: PortSelection;
  /** Inbound ports left out when all are captured. */
  readonly inboundExclude: readonly number[];
  /** Outbound ports captured at any address. */
  readonly outboundPorts: readonly number[];
  readonly outboundPortsExclude: readonly number[];
  /** Destinations to capture, as CIDR. */
  readonly ranges: "all" | readonly string[];
  readonly rangesExclude: readonly string[];
  readonly groups: OwnerGroups;
  /** Interfaces of virtual machines: traffic that comes in there counts as outbound. */
  readonly virtualInterfaces: readonly string[];
  /** Interfaces that are never captured. */
  readonly excludeInterfaces: readonly string[];
  /** Loopback range of IPv4. */
  readonly loopback: string;
  /** Set rules for IPv6 too. */
  readonly ipv6: boolean;
  readonly dualStack: boolean;
  /** Absent: DNS is not captured. */
  readonly dns?: DnsCapture;
  readonly dropInvalid: boolean;
  /** Add NFLOG rules. */
  readonly trace: boolean;
}

/** Port of the agent's DNS proxy that captured queries are sent to. */
export const DNS_PROXY_PORT = 15053;

/** Mark of packets from the proxy to the workload over loopback, in mode TPROXY. */
export const OUTBOUND_MARK = 1338;
