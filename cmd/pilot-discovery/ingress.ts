/**
 * Ingress objects of the orchestrator.
 *
 * @module
 */
import type { Ingest } from "../../lib/mesh/ingest/mod.ts";
import type { OrchClient } from "../../lib/kit/orch/mod.ts";
import {
  followIngresses,
  type IngressMode,
  type IngressSettings,
  type IngressSource,
  ORCH_INGRESS_NS,
} from "../../lib/mesh/sources/mod.ts";
import {
  type MeshConfig,
  MeshConfig_IngressControllerMode as Mode,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { DiscoveryOptions } from "./options.ts";

/** Name of the source, in origins of objects and in metrics. */
const SOURCE = "ingress";

const MODES: Readonly<Record<Mode, IngressMode>> = {
  [Mode.UNSPECIFIED]: "strict",
  [Mode.OFF]: "off",
  [Mode.DEFAULT]: "default",
  [Mode.STRICT]: "strict",
};

/** The settings that the mesh configuration has now. */
export function ingressSettings(
  { ingressClass, ingressControllerMode, ingressService, ingressSelector }: MeshConfig,
  domain: string,
): IngressSettings {
  return {
    mode: MODES[ingressControllerMode],
    ingressClass,
    ingressService,
    ingressSelector,
    namespace: ORCH_INGRESS_NS.get(),
    domain,
  };
}

/**
 * Follows Ingress objects and waits until all were received.
 *
 * @returns `undefined` when `signal` was aborted while it waited
 */
export async function openIngress(
  client: OrchClient,
  { options, ingest, signal, mesh }: {
    readonly options: DiscoveryOptions;
    readonly ingest: Ingest;
    readonly signal: AbortSignal;
    readonly mesh: { current(): MeshConfig; subscribe(changed: () => void): () => void };
  },
  stack: AsyncDisposableStack,
): Promise<IngressSource | undefined> {
  const source = followIngresses({
    client,
    source: SOURCE,
    intake: ingest.open(SOURCE),
    settings: () => ingressSettings(mesh.current(), options.domain),
  });
  stack.defer(() => source.close());
  stack.defer(mesh.subscribe(() => source.refresh()));
  const aborted = new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
  return await Promise.race([source.synced, aborted]) === "aborted" ? undefined : source;
}
