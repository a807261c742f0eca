/**
 * Locality load balancing, as the mesh configuration sets it.
 *
 * @module
 */
import {
  type LocalityLoadBalancerSetting as LocalitySetting,
  LocalityLoadBalancerSettingSchema as LocalitySettingSchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";

/** The locality setting where no rule has one; `undefined`: locality load balancing is disabled. */
export function meshLocality(read: Read, mesh: Mesh): LocalitySetting | undefined {
  const setting = mesh.field(read, "localityLbSetting") ?? create(LocalitySettingSchema);
  return setting.enabled === false ? undefined : setting;
}
