/**
 * Rights that requests to API servers of tests used, read from their audit logs, and rights of roles that no
 * request used.
 *
 * @module
 */
import type { RoleObject } from "../../lib/cluster/roles/mod.ts";
import { DAEMON_USER } from "../cluster/files.ts";

/** The variable with the folder into which API servers of tests write audit logs; unset: they write none. */
export const AUDIT_FOLDER = "MESH_TEST_AUDIT_FOLDER";

/** The policy of the logs: requests of the daemon, without bodies. */
export const AUDIT_POLICY: string = JSON.stringify({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived", "Panic"],
  rules: [
    { level: "Metadata", users: [DAEMON_USER] },
    { level: "None" },
  ],
});

/** The part of an event of `audit.k8s.io/v1` that is read. */
interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** The rights that a user's requests used, as `VERB RESOURCE.GROUP`. */
export function usedRights(lines: readonly string[], user: string): Set<string> {
  const used = new Set<string>();
  for (const line of lines) {
    if (line === "") continue;
    const { verb, user: { username }, objectRef, responseStatus }: AuditEvent = JSON.parse(line);
    const { code = 0 } = responseStatus ?? {};
    if (username !== user || objectRef?.resource === undefined || code === 403) continue;
    const { resource, subresource, apiGroup = "" } = objectRef;
    const name = subresource === undefined ? resource : `${resource}/${subresource}`;
    used.add(rightOf(verb, apiGroup, name));
    // Server-side apply of an object that is not there needs the right to create it, too.
    if (verb === "patch" && code === 201) used.add(rightOf("create", apiGroup, name));
  }
  return used;
}

/** All rights of roles, without names of objects, in the order of the roles. */
export function rightsOf(roles: readonly RoleObject[]): string[] {
  const all = roles.flatMap(({ rules = [] }) => rules).flatMap((rule) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) => rule.verbs.map((verb) => rightOf(verb, group, resource)))
    )
  );
  return [...new Set(all)];
}

function rightOf(verb: string, group: string, resource: string): string {
  return `${verb} ${group === "" ? resource : `${resource}.${group}`}`;
}
