/**
 * Namespaces, service accounts and their tokens on a real API server.
 *
 * @module
 */
import {
  createObject,
  isConflict,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../lib/kit/orch/mod.ts";

/** Creates an object; one that exists stays. */
export async function ensure(
  client: OrchClient,
  type: ResourceType,
  object: OrchObject,
): Promise<OrchObject | undefined> {
  return await createObject<OrchObject>(client, type, object).catch((error) => {
    if (!isConflict(error)) throw error;
    return undefined;
  });
}

/** Creates a namespace. */
export async function ensureNamespace(client: OrchClient, name: string): Promise<void> {
  await ensure(client, types.NAMESPACE, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  });
}

/** Creates service accounts, `NAMESPACE/NAME`, with their namespaces. */
export async function createAccounts(
  client: OrchClient,
  accounts: readonly string[],
): Promise<void> {
  for (const account of accounts) {
    const [namespace = "", name = ""] = account.split("/");
    await ensureNamespace(client, namespace);
    await ensure(client, types.SERVICE_ACCOUNT, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace, name },
    });
  }
}

/** A pod that a token is bound to. */
export interface BoundPod {
  readonly name: string;
  readonly uid: string;
}

/** A token of an account, `NAMESPACE/NAME`; of the audience `mesh-ca` unless others are given. */
export async function tokenOf(
  client: OrchClient,
  account: string,
  { audiences = ["mesh-ca"], pod }: {
    readonly audiences?: readonly string[];
    readonly pod?: BoundPod;
  } = {},
): Promise<string> {
  const [namespace = "", name = ""] = account.split("/");
  const { status } = await client.json<{ status: { token: string } }>({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {
        audiences,
        expirationSeconds: 600,
        ...(pod === undefined ? {} : { boundObjectRef: { kind: "Pod", apiVersion: "v1", ...pod } }),
      },
    },
  });
  return status.token;
}

/** Creates a pod of an account, `NAMESPACE/NAME`, on a node if one is given; no kubelet runs it. */
export async function createPod(
  client: OrchClient,
  account: string,
  name: string,
  node?: string,
): Promise<BoundPod> {
  const [namespace = "", serviceAccountName = ""] = account.split("/");
  const made = await createObject<OrchObject>(client, types.POD, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name },
    spec: {
      serviceAccountName,
      ...(node === undefined ? {} : { nodeName: node }),
      containers: [{ name: "main", image: "none" }],
    },
  } as OrchObject);
  return { name, uid: made.metadata.uid! };
}

/** Lets an account list the secrets of its namespace. */
export async function allowSecrets(
  client: OrchClient,
  namespace: string,
  name: string,
): Promise<void> {
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { namespace, name: "read-secrets" };
  await client.json({
    method: "POST",
    path: `${path}/roles`,
    body: {
      apiVersion,
      kind: "Role",
      metadata,
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] }],
    },
  });
  await client.json({
    method: "POST",
    path: `${path}/rolebindings`,
    body: {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "read-secrets" },
      subjects: [{ kind: "ServiceAccount", namespace, name }],
    },
  });
}
