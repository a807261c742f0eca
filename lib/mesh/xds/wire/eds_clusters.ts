/**
 * Clusters whose endpoints are discovered by EDS.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import type { Resource } from "../../graph/mod.ts";
import { FieldReader } from "./protobuf.ts";

/** Field `type` of `envoy.config.cluster.v3.Cluster`, and its value `EDS`. */
const DISCOVERY_TYPE = { field: 2, eds: 3 };

/** Reports if a client subscribes to the endpoints of this cluster. False for other messages. */
export function isEdsCluster({ bytes }: Resource): boolean {
  try {
    for (const field = new FieldReader(bytes); field.next();) {
      if (field.number === DISCOVERY_TYPE.field) return field.value === DISCOVERY_TYPE.eds;
    }
  } catch (e) {
    if (!(e instanceof MeshError)) throw e;
  }
  return false;
}
