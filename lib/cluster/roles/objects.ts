/**
 * Roles, their bindings and the service accounts that they are for, as objects of the API
 * `rbac.authorization.k8s.io`.
 *
 * @module
 */
import type { OrchObject } from "../../kit/orch/mod.ts";

const RBAC = "rbac.authorization.k8s.io";

/** The account of a program. */
export interface AccountOptions {
  /** System namespace: that of the program. */
  readonly namespace: string;
  /** Service account of the program in the system namespace. */
  readonly account: string;
}

export interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A role or the binding of one. */
export interface RoleObject extends OrchObject {
  readonly rules?: readonly RoleRule[];
  /** Role of a binding. */
  readonly roleRef?: Readonly<Record<string, string>>;
  /** Accounts of a binding. */
  readonly subjects?: readonly Readonly<Record<string, string>>[];
}

type Rules = readonly RoleRule[];

/** A service account with rights in the cluster, and with further ones in its namespace. */
export function accountRoles(
  options: AccountOptions,
  { cluster, system }: { readonly cluster: Rules; readonly system?: Rules },
): RoleObject[] {
  const { namespace, account } = options;
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } },
    ...boundRole({ name: `${account}-${namespace}` }, cluster, options),
    ...system === undefined ? [] : boundRole({ name: account, namespace }, system, options),
  ];
}

/** A role and its binding: of the cluster, or of a namespace where `metadata` has one. */
function boundRole(
  metadata: { readonly name: string; readonly namespace?: string },
  rules: readonly RoleRule[],
  { account, namespace }: AccountOptions,
): RoleObject[] {
  const scope = metadata.namespace === undefined ? "Cluster" : "";
  const apiVersion = `${RBAC}/v1`;
  const roleRef = { apiGroup: RBAC, kind: `${scope}Role`, name: metadata.name };
  const subject = { kind: "ServiceAccount", name: account, namespace };
  return [
    { apiVersion, kind: `${scope}Role`, metadata, rules },
    { apiVersion, kind: `${scope}RoleBinding`, metadata, roleRef, subjects: [subject] },
  ];
}

/** A rule for resources of a group. */
export function rule(
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
): RoleRule {
  return { apiGroups: [group], resources, verbs };
}
