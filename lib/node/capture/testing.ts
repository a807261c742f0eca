/**
 * Settings for tests.
 *
 * @module
 */
import { type CaptureHost, type CaptureInput, parseCapture } from "./parse.ts";
import type { CaptureSettings } from "./settings.ts";

/** The defaults of the flags. */
export const INPUT: CaptureInput = {
  outboundPort: "15001",
  inboundPort: "15006",
  tunnelPort: "15008",
  mode: "",
  mark: "1337",
  routeTable: "133",
  uids: "",
  gids: "",
  inboundPorts: "",
  inboundPortsExclude: "",
  outboundPorts: "",
  outboundPortsExclude: "",
  ranges: "",
  rangesExclude: "",
  groups: "*",
  groupsExclude: "",
  virtualInterfaces: "",
  excludeInterfaces: "",
  loopback: "127.0.0.1/32",
  dualStack: false,
  dns: false,
  allDns: false,
  dropInvalid: false,
  trace: false,
};

/** A host with IPv4 and one nameserver. */
export const HOST: CaptureHost = {
  ipv4: true,
  ipv6: false,
  nameservers: ["10.96.0.10"],
  users: new Map(),
  groups: new Map(),
};

/** Settings that capture everything, with changes. */
export function captureAll(changes: Partial<CaptureInput> = {}): CaptureSettings {
  return parseCapture({ ...INPUT, inboundPorts: "*", ranges: "*", ...changes }, HOST);
}
