/**
 * The resources of node proxies, by their network.
 *
 * @module
 */
import { nodeProxyIn, type World } from "../explain/mod.ts";
import { type Decode, decodeOnce } from "../simulate/mod.ts";
import type { View } from "../../mesh/graph/mod.ts";
import type { ProxyBinding } from "../../mesh/model/mod.ts";
import type { DebugInputs } from "./inputs.ts";

/** State that the questions about a mesh share: all node proxies of a network see the same. */
interface Shared {
  /** By network. */
  readonly bindings: Map<string, ProxyBinding>;
  /** Each version of a resource is decoded once. */
  readonly decode: Decode;
  /** Time of the last question. */
  asked: number;
}

type Inputs = Pick<DebugInputs, "mesh" | "bind" | "now" | "later">;

const SHARED = new WeakMap<DebugInputs["mesh"], Shared>();

/** Time without a question after which the binding is released, in milliseconds: it is kept current. */
const IDLE_MS = 300_000;

/** The resources of node proxies, by type URL; nothing while ambient mode is off. */
export function nodeProxyOf(inputs: Inputs): Pick<World, "nodeProxy" | "nodeProxyDecode"> {
  const { mesh, bind } = inputs;
  if (mesh.ambient === undefined || bind === undefined) return {};
  return {
    nodeProxy: (typeUrl, network) => viewOf(sharedBy(inputs), bind, { typeUrl, network }),
    nodeProxyDecode: (schema, bytes) => sharedBy(inputs).decode(schema, bytes),
  };
}

function viewOf(
  { bindings }: Shared,
  bind: NonNullable<Inputs["bind"]>,
  { typeUrl, network }: { readonly typeUrl: string; readonly network: string },
): View | undefined {
  const found = bindings.get(network) ?? bind(nodeProxyIn(network));
  bindings.set(network, found);
  return found.view(typeUrl);
}

function sharedBy(inputs: Inputs): Shared {
  const { mesh, now } = inputs;
  const found = SHARED.get(mesh);
  if (found !== undefined) {
    found.asked = now();
    return found;
  }
  const made: Shared = { bindings: new Map(), decode: decodeOnce(), asked: now() };
  SHARED.set(mesh, made);
  releaseLater(inputs, made);
  return made;
}

function releaseLater(inputs: Inputs, shared: Shared): void {
  inputs.later?.(IDLE_MS, () => {
    if (inputs.now() - shared.asked < IDLE_MS) return releaseLater(inputs, shared);
    SHARED.delete(inputs.mesh);
    for (const binding of shared.bindings.values()) binding.close();
  });
}
