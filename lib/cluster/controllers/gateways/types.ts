/**
 * The objects that the controller of Gateways reads, as far as it reads them.
 *
 * @module
 */
import type { LabelSelector } from "../../inject/mod.ts";
import type { ListItem, ResourceType } from "../../../kit/orch/mod.ts";

const GROUP = "gateway.networking.k8s.io";

export const GATEWAY: ResourceType = {
  group: GROUP,
  version: "v1",
  kind: "Gateway",
  plural: "gateways",
  namespaced: true,
};
export const GATEWAY_CLASS: ResourceType = {
  group: GROUP,
  version: "v1",
  kind: "GatewayClass",
  plural: "gatewayclasses",
  namespaced: false,
};
export const LISTENER_SET: ResourceType = {
  group: GROUP,
  version: "v1",
  kind: "ListenerSet",
  plural: "listenersets",
  namespaced: true,
};
export const AUTOSCALER: ResourceType = {
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  namespaced: true,
};
export const DISRUPTION_BUDGET: ResourceType = {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
};

export type Texts = Readonly<Record<string, string>>;

/** A listener of a Gateway or a ListenerSet. */
export interface Listener {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
}

/** A reference to an object with parameters. */
export interface ParametersReference {
  readonly group?: string;
  readonly kind: string;
  readonly name: string;
  /** Set for a GatewayClass only: the parameters of a Gateway are in its own namespace. */
  readonly namespace?: string;
}

export interface GatewayItem extends ListItem {
  readonly spec: {
    readonly gatewayClassName: string;
    readonly listeners?: readonly Listener[];
    readonly addresses?: readonly { readonly type?: string; readonly value?: string }[];
    readonly infrastructure?: {
      readonly labels?: Texts;
      readonly annotations?: Texts;
      readonly parametersRef?: ParametersReference;
    };
    readonly allowedListeners?: {
      readonly namespaces?: { readonly from?: string; readonly selector?: LabelSelector };
    };
  };
}

export interface GatewayClassItem extends ListItem {
  readonly spec: {
    readonly controllerName: string;
    readonly parametersRef?: ParametersReference;
  };
}

export interface ListenerSetItem extends ListItem {
  readonly spec: {
    readonly parentRef: {
      readonly group?: string;
      readonly kind?: string;
      readonly name: string;
      readonly namespace?: string;
    };
    readonly listeners?: readonly Listener[];
  };
}

export interface ConfigMapItem extends ListItem {
  readonly data?: Texts;
}
