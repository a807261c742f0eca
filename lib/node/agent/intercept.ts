/**
 * Subscriptions of the agent's own on the streams of its proxy, one for each type. The agent adds its
 * requests after the proxy's first one, which has the node, and takes the responses out of the stream.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { encode, fromBinary } from "../../kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { eachBytesField } from "./wire_fields.ts";
import type { Node } from "#envoy/config/core/v3/base_pb.ts";

/** A type with one resource that the agent uses itself. The proxy never receives the type. */
export interface AgentSubscription {
  readonly typeUrl: string;
  /**
   * Uses the encoded resource; `undefined`: the daemon has none.
   *
   * @throws when it cannot be used; the daemon is then sent a NACK
   */
  update(resource: Uint8Array | undefined): void;
}

/** The subscriptions on one stream. */
export interface Interception {
  /** The requests that subscribe. `node` is only for a stream without a request before. */
  requests(node?: Node): Uint8Array[];
  /** The answer to a response that is for the agent; `undefined`: it is for the proxy. */
  take(response: Uint8Array): Uint8Array | undefined;
}

/** Creates subscriptions that share what they know: a new stream does not repeat what is in use. */
export function interceptor(
  subscriptions: readonly AgentSubscription[],
): (path: string) => Interception {
  const shared = subscriptions.map((subscription) => ({
    subscription,
    state: { versions: {}, version: "" } as State,
    typeUrl: new TextEncoder().encode(subscription.typeUrl),
  }));
  return (path) => {
    const protocol = path.includes("Delta") ? delta : stateOfTheWorld;
    const variants = shared.map(({ subscription, state, typeUrl }) => ({
      typeUrl,
      ...protocol(subscription, state),
    }));
    return {
      requests: (node) => variants.map(({ request }, i) => request(i === 0 ? node : undefined)),
      take: (response) =>
        variants.find(({ typeUrl }) => hasTypeUrl(response, typeUrl))?.answer(response),
    };
  };
}

interface State {
  /** Version by resource name; for delta. */
  versions: Record<string, string>;
  /** Version of the last accepted response; for state of the world. */
  version: string;
}

interface Variant {
  readonly request: (node: Node | undefined) => Uint8Array;
  readonly answer: (response: Uint8Array) => Uint8Array;
}

/** `INVALID_ARGUMENT` of gRPC. */
const INVALID = 3;

const log = scope("xdsproxy");

function delta({ typeUrl, update }: AgentSubscription, state: State): Variant {
  return {
    request: (node) =>
      encode(DeltaDiscoveryRequestSchema, {
        node,
        typeUrl,
        initialResourceVersions: state.versions,
      }),
    answer: (bytes) => {
      const { resources, removedResources, nonce } = fromBinary(
        DeltaDiscoveryResponseSchema,
        bytes,
      );
      const errorDetail = attempt(() => {
        const [resource] = resources;
        if (resource !== undefined) {
          update(resource.resource?.value);
          state.versions = { [resource.name]: resource.version };
        } else if (removedResources.length > 0) {
          update(undefined);
          state.versions = {};
        }
      });
      return encode(DeltaDiscoveryRequestSchema, { typeUrl, responseNonce: nonce, errorDetail });
    },
  };
}

function stateOfTheWorld({ typeUrl, update }: AgentSubscription, state: State): Variant {
  return {
    request: (node) =>
      encode(DiscoveryRequestSchema, { node, typeUrl, versionInfo: state.version }),
    answer: (bytes) => {
      const { resources, versionInfo, nonce } = fromBinary(DiscoveryResponseSchema, bytes);
      const errorDetail = attempt(() => {
        update(resources[0]?.value);
        state.version = versionInfo;
      });
      return encode(DiscoveryRequestSchema, {
        typeUrl,
        versionInfo: state.version,
        responseNonce: nonce,
        errorDetail,
      });
    },
  };
}

/** The error detail of a NACK, or `undefined`. */
function attempt(use: () => void): { code: number; message: string } | undefined {
  try {
    use();
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    log.warn("a resource for the agent cannot be used", { reason: message });
    return { code: INVALID, message };
  }
}

/** Number of the field `type_url` in responses of both variants. */
const TYPE_URL_FIELD = 4;

/** Reports if a response is of a type. Bytes that are no message are of no type. */
export function hasTypeUrl(response: Uint8Array, typeUrl: Uint8Array): boolean {
  let isOfType = false;
  eachBytesField(response, (field, start, end) => {
    if (field !== TYPE_URL_FIELD) return;
    isOfType = end - start === typeUrl.length &&
      typeUrl.every((byte, i) => byte === response[start + i]);
  });
  return isOfType;
}
