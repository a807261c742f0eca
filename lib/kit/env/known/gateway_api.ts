/**
 * Variables of the Gateway API, which is not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, bool, DAEMON, text } from "./rows.ts";

/** Variables of the Gateway API, which is not implemented. */
export const GATEWAY_API: readonly IneffectiveGroup[] = [
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
      bool(
        "PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API",
        AGENT_DAEMON,
        true,
        "Use Gateway API objects with the network label as gateways of networks.",
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
