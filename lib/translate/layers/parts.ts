/**
 * What layers are made of: every table of translation, and collections by their names.
 *
 * @module
 */
import type { ListenerMember, ListenersKey } from "../../derive/mod.ts";
import type { Derived, Resource } from "../../graph/mod.ts";
import type { Context } from "../context/mod.ts";
import type { AutomaticTables, GatewayClusterTables, GatewayTables } from "../gateways/mod.ts";
import type { ClassTables } from "../inbound/mod.ts";
import type { LabelledListeners } from "../outbound/mod.ts";
import type { Layered, Placed } from "../resources/mod.ts";
import type { HttpProxyTables, Routes } from "../routes/mod.ts";
import type { CredentialTables } from "../security/mod.ts";
import type { Egress } from "../sidecars/mod.ts";

/** Every table that layers are made of. */
export interface Parts {
  readonly context: Context;
  readonly clusters: Placed;
  readonly assignments: Placed;
  readonly listeners: Layered;
  readonly overlayListeners: Derived<readonly ListenerMember[], ListenersKey>;
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
