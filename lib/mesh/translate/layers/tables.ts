/**
 * The tables that layers are made of.
 *
 * @module
 */
import type { HostKey, ListenerMember, ListenersKey } from "../../derive/mod.ts";
import type { Derived } from "../../graph/mod.ts";
import type { Context } from "../context/mod.ts";
import type { ByLocality, Layered, ListenerTable } from "../resources/mod.ts";
import type {
  AutomaticTables,
  ClassTables,
  ClusterKey,
  CredentialTables,
  Egress,
  EgressListenerKey,
  GatewayClusterTables,
  GatewayTables,
  HttpProxyTables,
  ListenerKey,
  Routes,
  SourceLabelListeners,
} from "../tables/mod.ts";

/** The tables that layers are made of. */
export interface LayerTables {
  readonly context: Context;
  readonly clusters: ByLocality<ClusterKey>;
  readonly endpoints: ByLocality<HostKey>;
  readonly listeners: Layered<ListenerKey>;
  readonly overlayListeners: Derived<readonly ListenerMember[], ListenersKey>;
  /** Name of a listener → its tombstone. */
  readonly hiddenListeners: ListenerTable;
  readonly sourceLabelListeners: SourceLabelListeners;
  readonly egress: Egress;
  readonly egressListeners: ListenerTable<EgressListenerKey>;
  readonly routes: Routes;
  readonly own: ClassTables;
  readonly gateways: GatewayTables;
  readonly gatewayClusters: GatewayClusterTables;
  readonly automatic: AutomaticTables<ClusterKey>;
  readonly credentials: CredentialTables;
  readonly httpProxy: HttpProxyTables;
}
