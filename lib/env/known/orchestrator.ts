/**
 * Variables of the connection to an orchestrator, which is not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, ALL, bool, DAEMON, text } from "./rows.ts";

/** Variables of the connection to an orchestrator, which is not implemented. */
export const ORCHESTRATOR: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "the connection to an orchestrator" },
    readers: DAEMON,
    rows: [
      bool(
        "MESH_ENABLE_CONTROLLER_QUEUE_METRICS",
        ALL,
        false,
        "Export depth, waiting time and working time of the controllers' queues.",
      ),
      {
        ...text(
          "MESH_ORCH_CLIENT_CONTENT_TYPE",
          AGENT_DAEMON,
          "protobuf",
          "Content type of requests to the orchestrator.",
        ),
        choices: ["protobuf", "json"],
      },
      text(
        "PLATFORM",
        AGENT_DAEMON,
        "Default",
        "Platform of the mesh, for platform-specific settings.",
      ),
      text("SYSTEM_NAMESPACE", ALL, "mesh-system", "Namespace of the control plane."),
    ],
  },
  {
    state: { kind: "unsupported", reason: "the Gateway API" },
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
        "Create the deployment and service of each Gateway.",
      ),
      bool(
        "PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER",
        AGENT_DAEMON,
        true,
        "Create and update the default GatewayClasses.",
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
        "Controller name of the mesh's GatewayClasses.",
      ),
      text(
        "PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME",
        AGENT_DAEMON,
        "mesh",
        "Name of the default GatewayClass.",
      ),
    ],
  },
];
