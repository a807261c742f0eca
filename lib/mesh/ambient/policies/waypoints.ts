/**
 * Policies that let only a waypoint connect to the workloads behind it.
 *
 * @module
 */
import { create } from "../../../kit/proto/mod.ts";
import {
  Action,
  type Authorization,
  AuthorizationSchema,
  Scope,
} from "#mesh/security/authorization_pb.ts";
import type { ObjectKey } from "../../model/mod.ts";
import { stringMatch } from "./match.ts";

/** Name of the policy of a waypoint. */
export function allowWaypointName({ name }: ObjectKey): string {
  return `mesh_allow_waypoint_${name}`;
}

/**
 * Allows connections of a waypoint.
 *
 * @param accounts service accounts of its proxies, `namespace/name`
 */
export function allowWaypointPolicy(
  waypoint: ObjectKey,
  accounts: readonly string[],
  trustDomain: string,
): Authorization {
  const principals = accounts.map((account) => {
    const [namespace = "", name = ""] = account.split("/");
    return stringMatch(`${trustDomain}/ns/${namespace}/sa/${name}`);
  });
  return create(AuthorizationSchema, {
    name: allowWaypointName(waypoint),
    namespace: waypoint.namespace,
    scope: Scope.WORKLOAD_SELECTOR,
    action: Action.ALLOW,
    groups: [{ rules: [{ matches: [{ principals }] }] }],
  });
}
