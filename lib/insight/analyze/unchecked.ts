/**
 * Parts of an analysis that a set of documents cannot decide.
 *
 * @module
 */
import type { ConfigObject } from "../../mesh/model/mod.ts";
import type { SeenDocument } from "../../mesh/schema/mod.ts";
import { isPlainMap, textAt } from "./plain.ts";

interface Part {
  /** Kinds of objects that the part is about. */
  readonly about: readonly string[];
  /** Kinds of which one must be there. */
  readonly needs: readonly string[];
  /** The name of the part and the reason; half a sentence. */
  readonly text: string;
}

const WORKLOADS = [
  "DaemonSet",
  "Deployment",
  "Job",
  "Pod",
  "ReplicaSet",
  "StatefulSet",
  "WorkloadEntry",
];

const PARTS: readonly Part[] = [
  {
    about: ["DestinationRule", "Sidecar", "VirtualService"],
    needs: ["Service", "ServiceEntry"],
    text: "hosts and ports of services, because no service is described",
  },
  {
    about: [
      "AuthorizationPolicy",
      "DataproxyFilter",
      "DestinationRule",
      "Gateway",
      "PeerAuthentication",
      "ProxyConfig",
      "RequestAuthentication",
      "Sidecar",
      "Telemetry",
      "WasmPlugin",
    ],
    needs: WORKLOADS,
    text: "selectors, principals and modes of mutual TLS, because no workload is described",
  },
  {
    about: ["AuthorizationPolicy"],
    needs: ["Namespace"],
    text: "namespaces in policies, because no Namespace is described",
  },
  {
    about: ["Pod"],
    needs: ["Namespace"],
    text: "injection of pods, because no Namespace is described",
  },
  {
    about: ["Gateway"],
    needs: ["Secret"],
    text: "credentials of Gateways, because no Secret is described",
  },
];

/** The parts that are not checked, with the reasons; half sentences. Only parts that the set has objects for. */
export function uncheckedParts(
  { objects, seen, assumeGateway }: {
    readonly objects: readonly ConfigObject[];
    readonly seen: readonly SeenDocument[];
    /** True: a gateway is taken to exist, with which selectors of Gateways are compared. */
    readonly assumeGateway: boolean;
  },
): readonly string[] {
  const kinds = new Set([
    ...objects.map(({ meta }) => meta.kind),
    ...seen.flatMap(({ value }) => isPlainMap(value) ? [textAt(value, "kind")] : []),
  ]);
  const hasSome = (list: readonly string[]) => list.some((kind) => kinds.has(kind));
  const unknown = (about: readonly string[], needs: readonly string[]) =>
    assumeGateway && needs === WORKLOADS ? about.filter((kind) => kind !== "Gateway") : about;
  return PARTS.filter(({ about, needs }) => hasSome(unknown(about, needs)) && !hasSome(needs))
    .map(({ text }) => text);
}
