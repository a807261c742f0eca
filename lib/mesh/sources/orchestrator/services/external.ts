/**
 * Addresses of Services outside their cluster, at which other networks reach it.
 *
 * @module
 */
import { hasLabels, networkLabel, type ServiceFacts } from "../../../model/mod.ts";
import type { ApiService, NodeFacts } from "./api.ts";

/** Annotation of a Service of the type `NodePort`: a JSON object with labels of its nodes. */
const NODE_SELECTOR = "traffic.mesh.io/nodeSelector";

/** Objects that addresses come from. */
export interface ExternalInputs {
  /** Addresses of a name; empty until it is resolved. */
  readonly addressesOf: (name: string) => readonly string[];
  /** True: the networks of the mesh name the Service as a gateway. */
  readonly isNamedGateway: boolean;
  readonly nodes: () => readonly NodeFacts[];
}

/**
 * Addresses of a Service; of nodes with the ports there. A name of a load balancer that is not resolved
 * stays a name.
 */
export function externalFacts(
  service: ApiService,
  inputs: ExternalInputs,
): Pick<ServiceFacts, "externalAddresses" | "nodePorts"> {
  const selector = nodeSelector(service);
  if (selector !== undefined && typeof selector !== "string") {
    return atNodes(service, selector, inputs);
  }
  const names = balancerNames(service, inputs.isNamedGateway);
  const balancers = service.status?.loadBalancer?.ingress ?? [];
  return {
    externalAddresses: [
      ...service.spec?.externalIPs ?? [],
      ...balancers.flatMap(({ ip, hostname = "" }) => {
        if (ip !== undefined) return [ip];
        const found = names.includes(hostname) ? inputs.addressesOf(hostname) : [];
        return found.length > 0 ? found : [hostname];
      }).filter((one) => one !== ""),
    ],
  };
}

/**
 * Names of the load balancers of a Service that is the gateway of a network: by its label, or because
 * the networks of the mesh name it.
 */
export function balancerNames(
  { metadata: { labels }, status }: ApiService,
  isNamedGateway: boolean,
): string[] {
  if (!isNamedGateway && networkLabel(labels ?? {}) === "") return [];
  return (status?.loadBalancer?.ingress ?? [])
    .flatMap(({ ip, hostname }) => ip === undefined && hostname ? [hostname] : []);
}

/**
 * Labels of the nodes by whose ports other networks reach a Service of the type `NodePort`; a text: the
 * annotation is wrong, and why. `undefined`: it has none.
 */
export function nodeSelector(
  { metadata: { annotations }, spec }: ApiService,
): Readonly<Record<string, string>> | string | undefined {
  const text = annotations?.[NODE_SELECTOR];
  if (text === undefined || spec?.type !== "NodePort") return undefined;
  const wrong = `the annotation ${NODE_SELECTOR} must be a JSON object of labels; found ${text}`;
  try {
    const found: unknown = JSON.parse(text);
    return isLabels(found) ? found : wrong;
  } catch {
    return wrong;
  }
}

function isLabels(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one === "string");
}

function atNodes(
  { spec }: ApiService,
  selector: Readonly<Record<string, string>>,
  { nodes }: ExternalInputs,
): Pick<ServiceFacts, "externalAddresses" | "nodePorts"> {
  const nodePorts: Record<number, number> = {};
  for (const { port, nodePort, protocol } of spec?.ports ?? []) {
    if (nodePort !== undefined && protocol !== "UDP") nodePorts[port] = nodePort;
  }
  const selected = nodes().filter(({ labels }) => hasLabels(labels, selector));
  return {
    externalAddresses: selected.flatMap(({ addresses }) => addresses).sort(),
    nodePorts,
  };
}
