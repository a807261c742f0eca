/**
 * Filter state of connections through tunnels.
 *
 * @module
 */
import {
  type FilterStateValue,
  FilterStateValue_SharedWithUpstream as Shared,
  FilterStateValueSchema,
} from "#envoy/extensions/filters/common/set_filter_state/v3/value_pb.ts";
import { type Filter, FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { ConfigSchema as ConnectionStateSchema } from "#envoy/extensions/filters/network/set_filter_state/v3/set_filter_state_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";

/** The factory of filter state that is text. */
export const TEXT = "envoy.string";

/** Sets filter state. It is shared with the internal connection that follows, which may set a new one. */
export function state(key: string, format: string, factoryKey = ""): FilterStateValue {
  return create(FilterStateValueSchema, {
    key: { case: "objectKey", value: key },
    factoryKey,
    value: {
      case: "formatString",
      value: {
        format: {
          case: "textFormatSource",
          value: { specifier: { case: "inlineString", value: format } },
        },
        omitEmptyValues: true,
      },
    },
    sharedWithUpstream: Shared.ONCE,
    skipIfEmpty: true,
  });
}

/** Filter state of this connection alone. */
export function ownState(key: string, format: string): FilterStateValue {
  return { ...state(key, format), sharedWithUpstream: Shared.NONE };
}

/** The network filter that sets filter state of new connections. */
export function setStates(onNewConnection: FilterStateValue[]): Filter {
  return create(FilterSchema, {
    name: "envoy.filters.network.set_filter_state",
    configType: {
      case: "typedConfig",
      value: packAny(ConnectionStateSchema, { onNewConnection }),
    },
  });
}
