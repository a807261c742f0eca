/**
 * A load balancer of tests. It balances nothing: it gives each Service of the type LoadBalancer its own
 * cluster IP as the address, which machines with a route to the range of Services reach.
 *
 * @module
 */
import {
  follow,
  isConflict,
  isNotFound,
  type ListItem,
  mergePatch,
  type OrchClient,
  types,
} from "../../lib/kit/orch/mod.ts";

interface ServiceItem extends ListItem {
  readonly spec: { readonly type?: string; readonly clusterIP?: string };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] };
  };
}

/** Gives addresses until it is disposed. */
export async function startTestLoadBalancer(client: OrchClient): Promise<AsyncDisposable> {
  const writes = new Set<Promise<void>>();
  const following = follow<ServiceItem>({
    client,
    type: types.SERVICE,
    convert: (item) => item as ServiceItem,
    changed({ upserts }) {
      for (const service of upserts) {
        const write = giveAddress(client, service).finally(() => writes.delete(write));
        writes.add(write);
      }
    },
  });
  await following.synced;
  return {
    async [Symbol.asyncDispose]() {
      await following.close();
      await Promise.all(writes);
    },
  };
}

async function giveAddress(client: OrchClient, { metadata, spec, status }: ServiceItem) {
  const ip = spec.clusterIP;
  const given = status?.loadBalancer?.ingress?.[0]?.ip;
  if (spec.type !== "LoadBalancer" || ip === undefined || ip === "None" || given === ip) return;
  const { name, namespace = "" } = metadata;
  const patch = { status: { loadBalancer: { ingress: [{ ip }] } } };
  await mergePatch(client, types.SERVICE, { name, namespace, subresource: "status" }, patch)
    .catch((error) => {
      // It was deleted or changed meanwhile; its next change comes by itself.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
}
