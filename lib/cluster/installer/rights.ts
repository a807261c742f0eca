/**
 * The rights that an installation needs, asked before anything is written.
 *
 * @module
 */
import type { OrchClient, ResourceType } from "../../kit/orch/mod.ts";
import { forEach } from "./each.ts";
import { listError } from "./list_error.ts";

/** A verb for a resource. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Empty: of the whole cluster. */
  readonly namespace: string;
}

/** A type with the namespace in which its objects are written; empty for those of the whole cluster. */
export interface Place {
  readonly type: ResourceType;
  readonly namespace: string;
}

/** Each right once. */
export function rightsOf(places: readonly Place[], verbs: readonly string[]): Right[] {
  const rights = new Map<string, Right>();
  for (const { type, namespace } of places) {
    for (const verb of verbs) {
      const right = {
        verb,
        group: type.group,
        resource: type.plural,
        namespace: type.namespaced ? namespace : "",
      };
      rights.set(JSON.stringify(right), right);
    }
  }
  return [...rights.values()];
}

/** Lines that name missing rights, those of one resource together. */
export function missingText(missing: readonly Right[]): string[] {
  const places = Map.groupBy(
    missing,
    ({ group, resource, namespace }) =>
      `${resource}${group === "" ? "" : `.${group}`} ` +
      (namespace === "" ? "in the whole cluster" : `in namespace ${namespace}`),
  );
  return [...places].map(([place, rights]) =>
    `${rights.map(({ verb }) => verb).join(", ")} ${place}`
  );
}

/**
 * Asks the API server for the rights of the caller.
 *
 * @throws {MeshError} `install-rights` names those that are missing
 */
export async function requireRights(client: OrchClient, rights: readonly Right[]): Promise<void> {
  const everything = { verb: "*", group: "*", resource: "*", namespace: "" };
  if (await isAllowed(client, everything)) return;
  const allowed = await forEach(rights, (right) => isAllowed(client, right));
  const missing = rights.filter((_, at) => !allowed[at]);
  if (missing.length === 0) return;
  throw listError(
    "install-rights",
    "nothing was changed, because the identity lacks rights",
    missingText(missing),
    "Use an identity that has them, such as one with the ClusterRole cluster-admin.",
  );
}

async function isAllowed(client: OrchClient, right: Right): Promise<boolean> {
  const { verb, group, resource, namespace } = right;
  const { status } = await client.json<{ status?: { allowed?: boolean } }>({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb, group, resource, namespace } },
    },
  });
  return status?.allowed === true;
}
