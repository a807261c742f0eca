/**
 * The messages of a state-of-the-world stream as those of a delta stream, so that both variants are
 * recorded by the same rules.
 *
 * @module
 */
import { xdsType } from "../../../mesh/model/mod.ts";
import { create, fromBinary } from "../../../kit/proto/mod.ts";
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { eachBytesField } from "../wire_fields.ts";
import type { MessageReader } from "./recording.ts";

/** A response that the proxy has not answered. */
interface Sent {
  readonly nonce: string;
  readonly names: readonly string[];
}

/** State of one type on the stream. */
interface TypeState {
  /** Names of the latest request. */
  names: ReadonlySet<string>;
  /** Names of all resources that were sent on the stream. */
  readonly everSent: Set<string>;
  readonly unanswered: Sent[];
}

/** Number of the field with the name in messages of all types that the proxy receives. */
const NAME_FIELD = 1;
/** Name for all resources. */
const ALL = "*";

/** Creates the reader of one stream. */
export function sotwReader(): MessageReader {
  const types = new Map<string, TypeState>();
  const stateOf = (typeUrl: string): TypeState => {
    const state = types.get(typeUrl) ?? { names: new Set(), everSent: new Set(), unanswered: [] };
    types.set(typeUrl, state);
    return state;
  };
  return {
    requests(message) {
      const { typeUrl, resourceNames, responseNonce, errorDetail } = fromBinary(
        DiscoveryRequestSchema,
        message,
      );
      const state = stateOf(typeUrl);
      const before = state.names;
      const names = new Set(resourceNames);
      state.names = names;
      return [
        ...skipped(typeUrl, state, responseNonce),
        create(DeltaDiscoveryRequestSchema, {
          typeUrl,
          responseNonce,
          errorDetail,
          resourceNamesSubscribe: resourceNames,
          resourceNamesUnsubscribe: [...before].filter((name) => name !== ALL && !names.has(name)),
        }),
      ];
    },
    response: (message) => responseOf(message, stateOf),
  };
}

/**
 * The proxy answers only the latest of several responses. The earlier ones count as rejected: their
 * resources are unknown until they are sent again.
 */
function skipped(typeUrl: string, state: TypeState, nonce: string): DeltaDiscoveryRequest[] {
  const at = state.unanswered.findIndex((sent) => sent.nonce === nonce);
  if (at < 0) return [];
  const earlier = state.unanswered.splice(0, at + 1).slice(0, -1);
  return earlier.map((sent) =>
    create(DeltaDiscoveryRequestSchema, {
      typeUrl,
      responseNonce: sent.nonce,
      errorDetail: { message: "superseded" },
      resourceNamesUnsubscribe: xdsType(typeUrl).fullState ? [] : [...sent.names],
    })
  );
}

function responseOf(
  message: Uint8Array,
  stateOf: (typeUrl: string) => TypeState,
): DeltaDiscoveryResponse {
  const { typeUrl, nonce, versionInfo, resources } = fromBinary(DiscoveryResponseSchema, message);
  const state = stateOf(typeUrl);
  const { fullState, servedTo } = xdsType(typeUrl);
  const named = resources.map((resource) => ({
    // Resources of the agent have no name in their message; there is one of each type.
    name: servedTo === "agents" ? typeUrl : nameOf(resource.value),
    version: versionInfo,
    resource,
  }));
  const names = new Set(named.map(({ name }) => name));
  const removedResources = fullState ? [...state.everSent].filter((name) => !names.has(name)) : [];
  for (const name of names) state.everSent.add(name);
  state.unanswered.push({ nonce, names: [...names] });
  return create(DeltaDiscoveryResponseSchema, {
    typeUrl,
    nonce,
    resources: named,
    removedResources,
  });
}

function nameOf(resource: Uint8Array): string {
  let name: string | undefined;
  eachBytesField(resource, (field, start, end) => {
    if (field !== NAME_FIELD) return;
    name ??= new TextDecoder().decode(resource.subarray(start, end));
  });
  return name ?? "";
}
