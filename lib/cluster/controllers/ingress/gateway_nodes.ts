/**
 * Addresses of a gateway without a Service: those of the Nodes of its pods.
 *
 * @module
 */
import { follow, type Following, type ListItem, types } from "../../../kit/orch/mod.ts";
import { observe, type Term, type Wake } from "../reconcile.ts";

/** An address in the status of an Ingress. */
export interface IngressAddress {
  readonly ip?: string;
  readonly hostname?: string;
}

export interface GatewayPod extends ListItem {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

export interface AddressedNode extends ListItem {
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

/** Types of addresses of a Node, the better first. A Node is reached at those of the first it has. */
const TYPES = ["ExternalIP", "InternalIP"] as const;

/** The addresses of the Nodes of running pods, sorted, each once. */
export function nodeAddresses(
  pods: readonly GatewayPod[],
  nodeOf: (name: string) => AddressedNode | undefined,
): IngressAddress[] {
  const names = pods.filter(({ status }) => status?.phase === "Running")
    .map(({ spec }) => spec?.nodeName ?? "");
  const found = [...new Set(names)].flatMap((name) => {
    const addresses = nodeOf(name)?.status?.addresses ?? [];
    const ofType = TYPES.map((type) => addresses.filter((one) => one.type === type));
    return (ofType.find((some) => some.length > 0) ?? []).map(({ address }) => address);
  });
  return [...new Set(found)].sort().map((ip) => ({ ip }));
}

/** The pods of a gateway and all Nodes, once they are needed. */
export interface GatewayNodes {
  /** The addresses of the gateway whose pods have a value of the label `mesh`. */
  addresses(selector: string): Promise<IngressAddress[]>;
  close(): Promise<void>;
}

/** Follows nothing before the first question. */
export function followGatewayNodes(term: Term, wake: Wake, namespace: string): GatewayNodes {
  let nodes: Following<AddressedNode> | undefined;
  let pods: { readonly selector: string; readonly followed: Following<GatewayPod> } | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([nodes?.close(), pods?.followed.close()]);
  };
  // What waits for the first answer ends with the term.
  term.signal.addEventListener("abort", () => void close(), { once: true });
  return {
    close,
    async addresses(selector) {
      nodes ??= follow<AddressedNode>({
        client: term.client,
        type: types.NODE,
        optional: true,
        convert: addressed,
        // Heartbeats change the conditions alone.
        contentOf: (node) => node,
        changed: wake.poke,
      });
      if (pods?.selector !== selector) {
        await pods?.followed.close();
        const selection = { namespace, labelSelector: `mesh=${selector}` };
        const followed = observe<GatewayPod>(term, types.POD, { wake, selection });
        pods = { selector, followed };
      }
      const { followed } = pods;
      await Promise.all([nodes.synced, followed.synced]);
      return nodeAddresses(followed.values(), (name) => nodes?.get({ name }));
    },
  };
}

function addressed(item: ListItem): AddressedNode {
  const { metadata: { name }, status } = item as AddressedNode;
  return { metadata: { name }, status: { addresses: status?.addresses ?? [] } };
}
