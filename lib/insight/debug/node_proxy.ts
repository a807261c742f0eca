/**
 * The resources of node proxies.
 *
 * @module
 */
import { ANY_NODE_PROXY, type World } from "../explain/mod.ts";
import { type Decode, decodeOnce } from "../simulate/mod.ts";
import type { ProxyBinding } from "../../mesh/model/mod.ts";
import type { DebugInputs } from "./inputs.ts";

/** State that the questions about a mesh share: all node proxies see the same. */
interface Shared {
  readonly binding: ProxyBinding;
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
    nodeProxy: (typeUrl) => sharedBy(inputs, bind).binding.view(typeUrl),
    nodeProxyDecode: (schema, bytes) => sharedBy(inputs, bind).decode(schema, bytes),
  };
}

function sharedBy(inputs: Inputs, bind: NonNullable<Inputs["bind"]>): Shared {
  const { mesh, now } = inputs;
  const found = SHARED.get(mesh);
  if (found !== undefined) {
    found.asked = now();
    return found;
  }
  const made = { binding: bind(ANY_NODE_PROXY), decode: decodeOnce(), asked: now() };
  SHARED.set(mesh, made);
  releaseLater(inputs, made);
  return made;
}

function releaseLater(inputs: Inputs, shared: Shared): void {
  inputs.later?.(IDLE_MS, () => {
    if (inputs.now() - shared.asked < IDLE_MS) return releaseLater(inputs, shared);
    SHARED.delete(inputs.mesh);
    shared.binding.close();
  });
}
