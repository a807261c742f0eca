/**
 * Variables of ambient mode and of the node's network plugin, which wait for them.
 *
 * @module
 */
import type { IdleTheme } from "../idle.ts";
import { AGENT, AGENT_CNI, AGENT_DAEMON, ALL, bool, CNI, DAEMON, inAmbient, text } from "./rows.ts";

/** Variables of ambient mode and of the node's network plugin, which wait for them. */
export const AMBIENT: readonly IdleTheme[] = [
  {
    state: { kind: "later", reason: "ambient mode" },
    readers: DAEMON,
    rows: [
      bool(
        "AMBIENT_ENABLE_STATUS",
        ALL,
        false,
        "Write status about ambient mode to resources; without leader election, so for one replica only.",
        inAmbient(true),
      ),
      bool(
        "ENABLE_INGRESS_WAYPOINT_ROUTING",
        ALL,
        false,
        "Let gateways go through the waypoints of services labelled mesh.io/ingress-use-waypoint.",
        inAmbient(true),
      ),
      bool(
        "PILOT_AUTO_ALLOW_WAYPOINT_POLICY",
        AGENT_DAEMON,
        false,
        "Give node proxies a policy that lets waypoints in, and so keeps out what goes around them.",
        inAmbient(false),
      ),
      bool(
        "PILOT_ENABLE_AMBIENT",
        AGENT_DAEMON,
        false,
        "Switch ambient mode on; defaults of other variables depend on it.",
      ),
      bool(
        "PILOT_ENABLE_AMBIENT_WAYPOINTS",
        AGENT_DAEMON,
        false,
        "Run the controllers that waypoints need.",
        inAmbient(true),
      ),
      bool(
        "PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS",
        AGENT_DAEMON,
        false,
        "Take the taint off nodes whose network plugin is ready.",
      ),
      bool(
        "PILOT_ENABLE_SENDING_HBONE",
        AGENT_DAEMON,
        false,
        "Let proxies send through HTTP tunnels where the peer takes them.",
        inAmbient(true),
      ),
      bool(
        "PILOT_ENABLE_SIDECAR_LISTENING_HBONE",
        AGENT_DAEMON,
        false,
        "Let sidecars take traffic from HTTP tunnels where they are set to.",
        inAmbient(true),
      ),
      bool(
        "PILOT_PREFER_SENDING_HBONE",
        AGENT_DAEMON,
        false,
        "Send through an HTTP tunnel rather than by other means where both are possible.",
        inAmbient(false),
      ),
    ],
  },
  {
    state: { kind: "later", reason: "the network plugin of nodes" },
    readers: CNI,
    rows: [
      bool("AMBIENT_ENABLED", CNI, false, "Handle pods in ambient mode."),
      bool(
        "CHAINED_CNI_PLUGIN",
        CNI,
        true,
        "Install as a link in a chain of plugins, not as the only one.",
      ),
      text("CNI_AGENT_RUN_DIR", CNI, "/var/run/mesh-cni", "Folder for sockets of the node agent."),
      text(
        "CNI_CONF_NAME",
        CNI,
        undefined,
        "Name of the plugin configuration file; found when it is not set.",
      ),
      text("CNI_NETWORK_CONFIG", CNI, undefined, "Template of the plugin configuration."),
      text(
        "CNI_NETWORK_CONFIG_FILE",
        CNI,
        undefined,
        "File with the template of the plugin configuration.",
      ),
      text(
        "HOST_PROBE_SNAT_IP",
        CNI,
        "169.254.7.127",
        "IPv4 address that health probes of the node seem to come from.",
      ),
      text(
        "HOST_PROBE_SNAT_IPV6",
        CNI,
        "fd16:9254:7127:1337:ffff:ffff:ffff:ffff",
        "IPv6 address that health probes of the node seem to come from.",
      ),
      text("NODE_NAME", AGENT_CNI, undefined, "Name of the own node."),
    ],
  },
  {
    state: { kind: "later", reason: "capture of traffic" },
    readers: AGENT,
    rows: [
      text("DATAPROXY_USER", AGENT_CNI, "mesh-proxy", "User that the proxy runs as."),
      text(
        "DRY_RUN_FILE_PATH",
        AGENT_CNI,
        undefined,
        "File that takes the rules instead of the kernel, for tests of them.",
      ),
      text(
        "INBOUND_INTERCEPTION_MODE",
        ALL,
        undefined,
        "How inbound traffic is captured.",
        { choices: ["REDIRECT", "TPROXY"] },
      ),
      text("INBOUND_TPROXY_MARK", ALL, undefined, "Mark of captured connections in mode TPROXY."),
      bool(
        "IPTABLES_TRACE_LOGGING",
        AGENT_CNI,
        false,
        "Log each step of the rules as packets take it; needs NET_ADMIN.",
      ),
      text(
        "MESH_OUTBOUND_IPV4_LOOPBACK_CIDR",
        AGENT_DAEMON,
        "127.0.0.1/32",
        "Loopback addresses whose traffic is meant for the application itself.",
      ),
      text(
        "MESH_OUTBOUND_OWNER_GROUPS",
        AGENT_DAEMON,
        "*",
        "Groups whose outbound traffic is captured, separated by commas; * for all.",
      ),
      text(
        "MESH_OUTBOUND_OWNER_GROUPS_EXCLUDE",
        AGENT_DAEMON,
        undefined,
        "Groups whose outbound traffic is not captured, when all others are.",
      ),
    ],
  },
];
