/**
 * Variables of ambient mode and the node's network plugin, which are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, ALL, bool, CNI, DAEMON, inAmbient, text } from "./rows.ts";

/** Variables of ambient mode and the node's network plugin, which are not implemented. */
export const AMBIENT: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "ambient mode" },
    readers: DAEMON,
    rows: [
      {
        ...bool(
          "AMBIENT_ENABLE_STATUS",
          ALL,
          false,
          "Write status about ambient mode to resources; without leader election, so for one replica only.",
        ),
        ...inAmbient(true),
      },
      {
        ...bool(
          "ENABLE_INGRESS_WAYPOINT_ROUTING",
          ALL,
          false,
          "Route gateways through the waypoints of services with the label mesh.io/ingress-use-waypoint.",
        ),
        ...inAmbient(true),
      },
      {
        ...bool(
          "PILOT_ENABLE_AMBIENT_WAYPOINTS",
          AGENT_DAEMON,
          false,
          "Run the controllers that waypoints need.",
        ),
        ...inAmbient(true),
      },
      {
        ...bool(
          "PILOT_ENABLE_SENDING_HBONE",
          AGENT_DAEMON,
          false,
          "Let proxies send through HTTP tunnels to peers that accept them.",
        ),
        ...inAmbient(true),
      },
      {
        ...bool(
          "PILOT_ENABLE_SIDECAR_LISTENING_HBONE",
          AGENT_DAEMON,
          false,
          "Let sidecars accept HTTP tunnels where they are configured to.",
        ),
        ...inAmbient(true),
      },
      {
        ...bool(
          "PILOT_PREFER_SENDING_HBONE",
          AGENT_DAEMON,
          false,
          "Prefer HTTP tunnels where other ways are possible.",
        ),
        ...inAmbient(false),
      },
    ],
  },
  {
    state: { kind: "unsupported", reason: "ambient mode of the network plugin" },
    readers: CNI,
    rows: [
      bool("AMBIENT_DNS_CAPTURE", CNI, false, "Capture DNS queries of pods in ambient mode."),
      bool("AMBIENT_IPV6", CNI, true, "Set rules of ambient mode for IPv6, too."),
      text(
        "HOST_PROBE_SNAT_IP",
        CNI,
        "169.254.7.127",
        "IPv4 source address of the node's health probes.",
      ),
      text(
        "HOST_PROBE_SNAT_IPV6",
        CNI,
        "fd16:9254:7127:1337:ffff:ffff:ffff:ffff",
        "IPv6 source address of the node's health probes.",
      ),
      text(
        "ZTUNNEL_UDS_ADDRESS",
        CNI,
        "/var/run/ztunnel/ztunnel.sock",
        "Socket that the node's tunnel proxy connects to.",
      ),
    ],
  },
];
