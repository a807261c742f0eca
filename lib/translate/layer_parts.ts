/**
 * What layers are made of: every table of translation, and collections by their names.
 *
 * @module
 */
import type { Collection, CollectionSpec, Derived, Resource } from "../graph/mod.ts";
import type { ClassTables } from "./class_layer.ts";
import type { Context } from "./context.ts";
import type { Egress } from "./egress.ts";
import { namedCollection } from "./explained.ts";
import type { AutomaticTables } from "./gateway_automatic.ts";
import type { GatewayClusterTables } from "./gateway_clusters.ts";
import type { CredentialTables } from "./gateway_credentials.ts";
import type { GatewayTables } from "./gateway_tables.ts";
import type { HttpProxyTables } from "./http_proxy.ts";
import type { LabelledListeners } from "./labelled_listeners.ts";
import type { InGraph, Layered, Placed } from "./placed.ts";
import type { Routes } from "./route_layers.ts";

/** Every table that layers are made of. */
export interface Parts {
  readonly context: Context;
  readonly clusters: Placed;
  readonly assignments: Placed;
  readonly listeners: Layered;
  readonly overlayListeners: Derived<readonly string[]>;
  readonly labelledListeners: LabelledListeners;
  readonly egress: Egress;
  /** `flavour|scope|member` → the egress listener. */
  readonly egressListeners: Derived<readonly Resource[]>;
  readonly routes: Routes;
  readonly own: ClassTables;
  readonly gateways: GatewayTables;
  readonly gatewayClusters: GatewayClusterTables;
  readonly automatic: AutomaticTables;
  readonly credentials: CredentialTables;
  readonly httpProxy: HttpProxyTables;
}

/** The collection of this name, made when it is first asked for. */
export function collection(
  { context }: { readonly context: InGraph },
  name: string,
  spec: () => CollectionSpec,
): Collection {
  return namedCollection(context.mesh.graph, name, spec);
}
