/**
 * Objects that daemons write beside what was installed: certificates of the authority in every
 * namespace, its secret, and leases.
 *
 * @module
 */
import { type OrchClient, types } from "../../kit/orch/mod.ts";
import { SELF_SIGNED_SECRET } from "../ca/mod.ts";
import {
  HEARTBEAT_LABEL,
  HOLDER_REVISION,
  ROOT_CONFIG_MAP,
  ROOT_LABEL,
} from "../controllers/mod.ts";
import { type Found, objectsOf } from "./prune.ts";

/**
 * The objects that daemons of all revisions have written. Certificates that a user gave (`cacerts`) are
 * not among them.
 *
 * @param namespace of the control plane
 */
export async function writtenObjects(client: OrchClient, namespace: string): Promise<Found[]> {
  const [maps, leases, secrets] = await Promise.all([
    objectsOf(client, types.CONFIG_MAP, `${ROOT_LABEL}=true`),
    objectsOf(client, types.LEASE, "", namespace),
    objectsOf(client, types.SECRET, "", namespace),
  ]);
  return [
    ...maps.filter(({ object }) => object.metadata.name === ROOT_CONFIG_MAP),
    ...leases.filter(({ object: { metadata: { annotations = {}, labels = {} } } }) =>
      HOLDER_REVISION in annotations || HEARTBEAT_LABEL in labels
    ),
    ...secrets.filter(({ object }) => object.metadata.name === SELF_SIGNED_SECRET),
  ];
}
