/**
 * Variables that wait for an orchestrator to read from and write to.
 *
 * @module
 */
import type { IdleTheme } from "../idle.ts";
import { AGENT, AGENT_DAEMON, ALL, bool, DAEMON, duration, float, int, text } from "./rows.ts";

/** Variables that wait for an orchestrator to read from and write to. */
export const ORCHESTRATOR: readonly IdleTheme[] = [
  {
    state: { kind: "later", reason: "the connection to an orchestrator" },
    readers: DAEMON,
    rows: [
      bool(
        "ENABLE_LEADER_ELECTION",
        ALL,
        true,
        "Let one replica at a time do the writing; without it, the daemon takes itself for the only one.",
      ),
      bool(
        "MESH_ENABLE_CONTROLLER_QUEUE_METRICS",
        ALL,
        false,
        "Export depth, waiting time and working time of the controllers' queues.",
      ),
      text(
        "MESH_ORCH_CLIENT_CONTENT_TYPE",
        AGENT_DAEMON,
        "protobuf",
        "How objects travel to and from the orchestrator.",
        { choices: ["protobuf", "json"] },
      ),
      text(
        "MESH_WATCH_NAMESPACE",
        AGENT_DAEMON,
        undefined,
        "The one namespace of which objects are watched; all of them when it is empty.",
      ),
      text(
        "ORCH_INGRESS_NS",
        DAEMON,
        "mesh-system",
        "Namespace that the ingress controller runs in.",
      ),
      text(
        "ORCH_SERVICE_HOST",
        AGENT_DAEMON,
        undefined,
        "Host of the orchestrator's API, which sets it inside the cluster.",
      ),
      bool(
        "PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES",
        AGENT_DAEMON,
        true,
        "Let Services with a selector take WorkloadEntries with these labels as endpoints.",
      ),
      bool(
        "PILOT_ENABLE_SERVICEENTRY_SELECT_PODS",
        AGENT_DAEMON,
        true,
        "Let ServiceEntries with a selector take pods with these labels as endpoints.",
      ),
      text(
        "PLATFORM",
        AGENT_DAEMON,
        "Default",
        "The platform the mesh runs on, where it needs settings of its own.",
      ),
      text(
        "REVISION",
        ALL,
        undefined,
        "Revision of the control plane that the own pod belongs to.",
      ),
      text(
        "SHARED_MESH_CONFIG",
        AGENT,
        undefined,
        "Name of a ConfigMap with mesh configuration that lies below the standard one.",
      ),
      text("SYSTEM_NAMESPACE", ALL, "mesh-system", "Namespace of the control plane."),
    ],
  },
  {
    state: { kind: "later", reason: "sidecar injection and the webhooks" },
    readers: DAEMON,
    rows: [
      bool(
        "ENABLE_NATIVE_SIDECARS",
        ALL,
        false,
        "Inject the proxy as a sidecar container of the orchestrator's own kind; it must have that feature.",
      ),
      text(
        "INJECTION_WEBHOOK_CONFIG_NAME",
        ALL,
        "mesh-sidecar-injector",
        "Name of the mutating webhook configuration that the daemon keeps up to date.",
      ),
      bool("INJECT_ENABLED", DAEMON, true, "Answer requests for injection."),
      text(
        "VALIDATION_WEBHOOK_CONFIG_NAME",
        AGENT,
        "mesh-mesh-system",
        "Name of the validating webhook configuration whose certificate is kept up to date; none when it is empty.",
      ),
    ],
  },
  {
    state: { kind: "later", reason: "the Gateway API" },
    readers: DAEMON,
    rows: [
      bool(
        "PILOT_ENABLE_ALPHA_GATEWAY_API",
        AGENT_DAEMON,
        false,
        "Read the kinds of the Gateway API that are not stable yet.",
      ),
      bool("PILOT_ENABLE_GATEWAY_API", AGENT_DAEMON, true, "Read Gateway API resources."),
      bool(
        "PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER",
        AGENT_DAEMON,
        true,
        "Create what a Gateway needs to run: deployment, service and so on.",
      ),
      bool(
        "PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER",
        AGENT_DAEMON,
        true,
        "Create and keep the default GatewayClasses.",
      ),
      bool(
        "PILOT_ENABLE_GATEWAY_API_STATUS",
        AGENT_DAEMON,
        true,
        "Write status to Gateway API resources.",
      ),
      text(
        "PILOT_GATEWAY_API_CONTROLLER_NAME",
        AGENT_DAEMON,
        "mesh.io/gateway-controller",
        "Name of the controller by which a GatewayClass is known to be the mesh's.",
      ),
      text(
        "PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME",
        AGENT_DAEMON,
        "mesh",
        "Name of the default GatewayClass.",
      ),
    ],
  },
  {
    state: { kind: "later", reason: "status written to resources, and analysis" },
    readers: DAEMON,
    rows: [
      duration(
        "PILOT_ANALYSIS_INTERVAL",
        AGENT_DAEMON,
        "10s",
        "Time between two runs of the analyzers.",
      ),
      bool(
        "PILOT_ENABLE_ANALYSIS",
        AGENT_DAEMON,
        false,
        "Run the analyzers and write what they find into the status of resources.",
      ),
      int(
        "PILOT_STATUS_BURST",
        AGENT_DAEMON,
        500,
        "How many writes of status may exceed the rate for a moment.",
      ),
      int(
        "PILOT_STATUS_MAX_WORKERS",
        AGENT_DAEMON,
        100,
        "How many writes of status may be under way.",
      ),
      float("PILOT_STATUS_QPS", AGENT_DAEMON, 100, "Writes of status per second."),
      duration(
        "PILOT_STATUS_UPDATE_INTERVAL",
        AGENT_DAEMON,
        "500ms",
        "Time between two rounds of writing status.",
      ),
    ],
  },
];
