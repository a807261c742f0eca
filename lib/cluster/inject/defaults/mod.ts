import { GATEWAY } from "./gateway.ts";
import { GRPC_AGENT, GRPC_SIMPLE } from "./grpc.ts";
import { SIDECAR } from "./sidecar.ts";
import { WAYPOINT } from "./waypoint.ts";

export { DEFAULT_VALUES } from "./values.ts";

/** The built-in templates by name. */
export const DEFAULT_TEMPLATES: Readonly<Record<string, string>> = {
  "sidecar": SIDECAR,
  "gateway": GATEWAY,
  "grpc-agent": GRPC_AGENT,
  "grpc-simple": GRPC_SIMPLE,
  "waypoint": WAYPOINT,
};
