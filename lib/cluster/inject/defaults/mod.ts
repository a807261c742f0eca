import { composed, partsOf } from "./compose.ts";
import GATEWAY from "./gateway.yaml" with { type: "text" };
import GRPC_AGENT from "./grpc_agent.yaml" with { type: "text" };
import GRPC_SIMPLE from "./grpc_simple.yaml" with { type: "text" };
import KUBE_GATEWAY from "./kube_gateway.yaml" with { type: "text" };
import PARTS from "./parts.yaml" with { type: "text" };
import SIDECAR from "./sidecar.yaml" with { type: "text" };
import WAYPOINT from "./waypoint.yaml" with { type: "text" };

export { DEFAULT_VALUES } from "./values.ts";

const parts = partsOf(PARTS);

/** The built-in templates by name. */
export const DEFAULT_TEMPLATES: Readonly<Record<string, string>> = {
  "sidecar": composed(SIDECAR, parts),
  "gateway": composed(GATEWAY, parts),
  "grpc-agent": composed(GRPC_AGENT, parts),
  "grpc-simple": composed(GRPC_SIMPLE, parts),
  "kube-gateway": composed(KUBE_GATEWAY, parts),
  "waypoint": composed(WAYPOINT, parts),
};
