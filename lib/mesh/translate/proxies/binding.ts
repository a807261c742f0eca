/**
 * Proxy bindings: a connected proxy is bound to its class, and sees one view for each resource type.
 *
 * @module
 */
import type { Collection, Derived, Graph, View } from "../../graph/mod.ts";
import type { OnDemand, ProxyBinding, ProxyNode } from "../../model/mod.ts";
import type { AgentLayersOf, ClassBinding, LayersOf } from "../context/mod.ts";
import { type Context, MOST_NAMES } from "./features.ts";
import { AGENT_TYPE_URLS } from "../resources/mod.ts";
import { type ProxyKey, proxyKeyOf } from "./class_bindings.ts";
import { isSwitchedOn, onDemandOf } from "./on_demand.ts";

const AGENT_TYPES: ReadonlySet<string> = new Set(Object.values(AGENT_TYPE_URLS));

/** The sources of the views of proxy bindings. */
export interface BindingTables {
  readonly bindings: Derived<ClassBinding, ProxyKey>;
  readonly layersOf: LayersOf;
  readonly agentLayersOf: AgentLayersOf;
  /**
   * Releases layers that a proxy no longer sees, a publication later: the difference to what the
   * proxy sees now is still to be computed.
   */
  readonly releaseLater: (layers: readonly Collection[]) => void;
}

/** Binds a proxy to its class; see `BindingSource.bind`. */
export function bindProxy(
  context: Context,
  tables: BindingTables,
  node: ProxyNode,
  onRebind: () => void,
): ProxyBinding {
  return new Binding(context, tables, node, onRebind);
}

class Binding implements ProxyBinding {
  readonly #graph: Graph;
  readonly #tables: BindingTables;
  readonly #watch: ReturnType<Graph["watch"]>;
  /** Types of agents with a subscription. */
  readonly #agentTypes = new Set<string>();
  readonly #mostNames: number;
  #current: ClassBinding;
  #views: Map<string, View> = new Map();
  #retained: Collection[] = [];
  #closed = false;

  constructor(context: Context, tables: BindingTables, node: ProxyNode, onRebind: () => void) {
    this.#graph = context.mesh.graph;
    this.#tables = tables;
    this.#mostNames = context.features.onDemandNames ?? MOST_NAMES;
    const key = proxyKeyOf({ ...node, onDemand: isSwitchedOn(context, node) }, context);
    const watch = this.#graph.watch(tables.bindings, key, (binding) => {
      this.#bind(binding);
      onRebind();
    });
    this.#watch = watch;
    this.#current = watch.value;
    this.#bind(this.#current);
  }

  get classKey(): string {
    return this.#current.cls.key;
  }

  view(typeUrl: string): View | undefined {
    if (!this.#closed && AGENT_TYPES.has(typeUrl) && !this.#agentTypes.has(typeUrl)) {
      this.#agentTypes.add(typeUrl);
      this.#showAgents(typeUrl);
    }
    return this.#views.get(typeUrl);
  }

  onDemand(typeUrl: string): OnDemand | undefined {
    return onDemandOf(this.#current.cls, typeUrl, this.#mostNames);
  }

  close(): void {
    this.#closed = true;
    this.#watch.close();
    for (const layer of this.#retained) layer.release();
    this.#retained = [];
    this.#views = new Map();
  }

  #bind(binding: ClassBinding): void {
    const before = this.#retained;
    this.#current = binding;
    this.#retained = [];
    this.#views = new Map();
    for (const [typeUrl, layers] of this.#tables.layersOf(binding)) this.#show(typeUrl, layers);
    for (const typeUrl of this.#agentTypes) this.#showAgents(typeUrl);
    if (before.length > 0) this.#tables.releaseLater(before);
  }

  #showAgents(typeUrl: string): void {
    const layers = this.#tables.agentLayersOf(this.#current, typeUrl);
    if (layers !== undefined) this.#show(typeUrl, layers);
  }

  #show(typeUrl: string, layers: readonly Collection[]): void {
    for (const layer of layers) layer.retain();
    this.#retained.push(...layers);
    this.#views.set(typeUrl, this.#graph.view(layers));
  }
}
