/**
 * Controller: addresses of the gateway in the status of Ingress objects.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import { isNotFound, type ListItem, mergePatch, types } from "../../../kit/orch/mod.ts";
import {
  gatewaySelector,
  INGRESS,
  type Ingress,
  INGRESS_CLASS,
  type IngressClass,
  type IngressSettings,
  isOurs,
} from "../../../mesh/sources/mod.ts";
import { observe, reconcile, type Term, Wake } from "../reconcile.ts";
import { applyAll } from "../writes.ts";
import { followGatewayNodes, type IngressAddress } from "./gateway_nodes.ts";

export interface GatewayService extends ListItem {
  readonly spec?: {
    readonly type?: string;
    readonly externalName?: string;
    readonly externalIPs?: readonly string[];
  };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly IngressAddress[] };
  };
}

/** An Ingress as the API gives it. */
interface IngressItem extends Ingress {
  readonly status?: GatewayService["status"];
}

/** An Ingress with the fields that decide about its status, so that a pass over all is short. */
interface HeldIngress extends Ingress {
  /** Its addresses, as text. */
  readonly known?: string;
}

function held({ metadata, spec = {}, status }: IngressItem): HeldIngress {
  const { name, namespace, annotations = {} } = metadata;
  const { ingressClassName } = spec;
  const addresses = (status?.loadBalancer?.ingress ?? [])
    .map(({ ip, hostname }) => ip === undefined ? { hostname } : { ip });
  return {
    metadata: { name, namespace, annotations } as Ingress["metadata"],
    spec: ingressClassName === undefined ? {} : { ingressClassName },
    known: canonicalJson(addresses),
  };
}

/** The addresses at which a Service is reached from outside, sorted. */
export function addressesOf(service: GatewayService | undefined): IngressAddress[] {
  const { spec = {}, status } = service ?? {};
  if (spec.type === "ExternalName") {
    return spec.externalName === undefined ? [] : [{ hostname: spec.externalName }];
  }
  const balanced = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) =>
    ip === undefined ? { hostname: hostname ?? "" } : { ip }
  );
  const all = [...balanced, ...(spec.externalIPs ?? []).map((ip) => ({ ip }))];
  return all.sort((a, b) => canonicalJson(a) < canonicalJson(b) ? -1 : 1);
}

/**
 * Writes the status until the end of the term: the addresses of the gateway's Service, or, where the
 * mesh configuration names none, of the Nodes of the gateway's pods.
 */
export async function runIngressStatus(
  term: Term,
  { settings }: { readonly settings: () => IngressSettings },
): Promise<void> {
  const wake = new Wake();
  const ingresses = observe<HeldIngress>(term, INGRESS, {
    wake,
    convert: held,
    contentOf: (ingress) => ingress,
  });
  const classes = observe<IngressClass>(term, INGRESS_CLASS, { wake });
  const { namespace } = settings();
  const services = observe<GatewayService>(term, types.SERVICE, { wake, selection: { namespace } });
  const nodes = followGatewayNodes(term, wake, namespace);
  const tasks = async () => {
    const current = settings();
    const { ingressService } = current;
    const addresses = ingressService === ""
      ? await nodes.addresses(gatewaySelector(current))
      : addressesOf(services.get({ namespace, name: ingressService }));
    const [wanted, known] = [canonicalJson(addresses), classes.values()];
    return ingresses.values().flatMap((ingress) => {
      if (ingress.known === wanted || !isOurs(ingress, known, current)) return [];
      const { metadata } = ingress;
      const name = { namespace: metadata.namespace!, name: metadata.name, subresource: "status" };
      return [() =>
        mergePatch(term.client, INGRESS, name, {
          status: { loadBalancer: { ingress: addresses } },
        }).catch((error) => {
          if (!isNotFound(error)) throw error;
        })];
    });
  };
  await reconcile(term, wake, {
    name: "ingress",
    follows: [ingresses, classes, services],
    pass: async (current) => await applyAll(current, await tasks()),
    everyMs: 5_000,
  });
  await nodes.close();
}
