/**
 * Environment variables of ambient mode.
 *
 * @module
 */
import { declareEnv } from "../../../kit/env/mod.ts";
import { PILOT_ENABLE_AMBIENT } from "../../sources/mod.ts";
import type { Features } from "../../translate/mod.ts";

const PILOT_AUTO_ALLOW_WAYPOINT_POLICY = declareEnv({
  name: "PILOT_AUTO_ALLOW_WAYPOINT_POLICY",
  type: "bool",
  default: false,
  defaultWhen: { variable: "PILOT_ENABLE_AMBIENT", default: false },
  doc: "Give node proxies a policy that allows waypoints and refuses connections that bypass them.",
  readers: ["pilot-discovery"],
});

/** Reads the settings of ambient mode; throws `MeshError` for a value that cannot be read. */
export function readAmbient(): Pick<Features, "ambient" | "allowWaypoints"> {
  return {
    ambient: PILOT_ENABLE_AMBIENT.get(),
    allowWaypoints: PILOT_AUTO_ALLOW_WAYPOINT_POLICY.get(),
  };
}
