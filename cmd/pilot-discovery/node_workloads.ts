/**
 * Node agents that request certificates for the workloads of their node.
 *
 * @module
 */
import type { Caller, PodOfCaller } from "../../lib/cluster/authn/mod.ts";
import {
  getObject,
  isNotFound,
  listAll,
  type OrchClient,
  type OrchObject,
  types,
} from "../../lib/kit/orch/mod.ts";
import type { SpiffeId } from "../../lib/kit/pki/mod.ts";
import type { ClusterClients } from "./token_reviews.ts";

/** Decides about a certificate for another identity. */
export type Impersonation = (caller: Caller, wanted: SpiffeId) => Promise<boolean>;

interface Pod extends OrchObject {
  readonly spec?: { readonly nodeName?: string; readonly serviceAccountName?: string };
  readonly status?: { readonly phase?: string };
}

/**
 * Accepts a caller that is one of the trusted accounts, with a token that is bound to a pod, if a pod
 * with the wanted identity runs on the node of that pod, by the API server of its cluster.
 *
 * @param trusted `NAMESPACE/ACCOUNT`, separated by commas
 */
export function nodeImpersonation(
  trusted: string | undefined,
  clients: ClusterClients | undefined,
): Impersonation {
  const accounts = new Set((trusted ?? "").split(",").map((one) => one.trim()));
  return async ({ identities: [own], pod }, wanted) => {
    if (clients === undefined || own === undefined || pod === undefined) return false;
    if (!accounts.has(`${own.namespace}/${own.serviceAccount}`)) return false;
    const client = clients(pod.cluster);
    const node = client && await nodeOf(client, pod, own.serviceAccount);
    return node !== undefined && await runsOn(client!, node, wanted);
  };
}

async function nodeOf(
  client: OrchClient,
  { namespace, name, uid }: PodOfCaller,
  account: string,
): Promise<string | undefined> {
  try {
    const { metadata, spec } = await getObject<Pod>(client, types.POD, { namespace, name });
    const isSame = metadata.uid === uid && accountOf(spec) === account;
    return isSame ? spec?.nodeName : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function runsOn(client: OrchClient, node: string, wanted: SpiffeId): Promise<boolean> {
  const pods = await listAll<Pod>(client, types.POD, {
    namespace: wanted.namespace,
    fieldSelector: `spec.nodeName=${node}`,
  });
  return pods.some(({ spec, status, metadata: { deletionTimestamp } }) =>
    accountOf(spec) === wanted.serviceAccount && status?.phase !== "Succeeded" &&
    status?.phase !== "Failed" && deletionTimestamp === undefined
  );
}

function accountOf(spec: Pod["spec"]): string {
  return spec?.serviceAccountName || "default";
}
