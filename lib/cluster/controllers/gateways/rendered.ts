/**
 * The rendered objects of Gateways, kept until something changes that they were rendered from.
 *
 * @module
 */
import type { OrchObject } from "../../../kit/orch/mod.ts";
import { desiredObjects, type GatewayContext } from "./desired.ts";
import type { GatewayClassItem, GatewayItem } from "./types.ts";

/** Renders a Gateway, or takes what it was rendered to before. */
export type Render = (
  gateway: GatewayItem,
  of: GatewayClassItem,
  context: GatewayContext,
) => readonly OrchObject[];

/** One value that a rendering has read, with a function that reads it in another context. */
interface Reading {
  readonly value: unknown;
  again(context: GatewayContext): unknown;
}

interface Rendering {
  readonly gateway: GatewayItem;
  readonly of: GatewayClassItem;
  readonly readings: readonly Reading[];
  readonly objects: readonly OrchObject[];
}

/**
 * Renderings by the Gateway's id. A rendering is taken again if the Gateway, its class and everything
 * that it has read are the same; observed objects are replaced when they change.
 */
export class Rendered {
  readonly #render: Render;
  readonly #known = new Map<string, Rendering>();

  constructor(render: Render = desiredObjects) {
    this.#render = render;
  }

  /**
   * The objects of a Gateway.
   *
   * @throws MeshError as rendering does; then nothing is kept
   */
  of(gateway: GatewayItem, of: GatewayClassItem, context: GatewayContext): readonly OrchObject[] {
    const { uid = "" } = gateway.metadata;
    const found = this.#known.get(uid);
    const isSame = found?.gateway === gateway && found.of === of &&
      found.readings.every(({ value, again }) => isEqual(again(context), value));
    if (isSame) return found.objects;
    this.#known.delete(uid);
    const readings: Reading[] = [];
    const objects = this.#render(gateway, of, recording(context, readings));
    if (uid !== "") this.#known.set(uid, { gateway, of, readings, objects });
    return objects;
  }

  /** Forgets Gateways other than these. */
  keep(gateways: readonly GatewayItem[]): void {
    const ids = new Set(gateways.map(({ metadata }) => metadata.uid));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
  }
}

/** A context that notes what is read of another one. */
function recording(context: GatewayContext, readings: Reading[]): GatewayContext {
  const note = <T>(again: (context: GatewayContext) => T): T => {
    const value = again(context);
    readings.push({ value, again });
    return value;
  };
  return {
    get settings() {
      return note(({ settings }) => settings);
    },
    get defaults() {
      return note(({ defaults }) => defaults);
    },
    listenerSets: (gateway) => note((from) => from.listenerSets(gateway)),
    labelsOf: (namespace) => note((from) => from.labelsOf(namespace)),
    configMap: (namespace, name) => note((from) => from.configMap(namespace, name)),
  };
}

/** Reports if two readings are the same, or lists and maps of the same. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const entries = Object.entries(a);
  const others = new Map(Object.entries(b));
  return entries.length === others.size &&
    entries.every(([name, value]) => others.has(name) && others.get(name) === value);
}
