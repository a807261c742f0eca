/**
 * A load balancer of tests. It balances nothing: it gives each Service of the type LoadBalancer its own
 * cluster IP as the address, which machines with a route to the range of Services reach. A Service that asks
 * for an address gets that if it is {@linkcode USABLE_ADDRESS}, which leads nowhere, otherwise none.
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
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly loadBalancerIP?: string;
  };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] };
  };
}

/** The address that Services may ask for (RFC 5737, documentation). */
export const USABLE_ADDRESS = "203.0.113.7";

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
  const { type, clusterIP = "None", loadBalancerIP: asked } = spec;
  const isUsable = asked === undefined || asked === USABLE_ADDRESS;
  const ip = isUsable ? asked ?? clusterIP : undefined;
  const given = status?.loadBalancer?.ingress?.[0]?.ip;
  if (type !== "LoadBalancer" || clusterIP === "None" || given === ip) return;
  const { name, namespace = "" } = metadata;
  const ingress = ip === undefined ? [] : [{ ip }];
  const patch = { status: { loadBalancer: { ingress } } };
  await mergePatch(client, types.SERVICE, { name, namespace, subresource: "status" }, patch)
    .catch((error) => {
      // It was deleted or changed meanwhile; its next change comes by itself.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
}
