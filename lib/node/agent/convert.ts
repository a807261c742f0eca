/**
 * Resources of one type that the agent converts on their way to the proxy. Resources of other types
 * do not wait for them.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { create, encode, fromBinary, toBinary } from "../../kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { hasTypeUrl } from "./intercept.ts";

/** A type whose resources the agent converts. */
export interface ResourceConverter {
  readonly typeUrl: string;
  /**
   * Converts one encoded resource.
   *
   * @throws when it cannot be converted; the daemon is then sent a NACK, and the proxy keeps what it
   * has
   */
  convert(resource: Uint8Array): Promise<Uint8Array>;
}

/** A converted response for the proxy, or a NACK for the daemon. */
export type Conversion =
  | { readonly to: "proxy"; readonly message: Uint8Array }
  | { readonly to: "daemon"; readonly message: Uint8Array };

/** The converter on one stream. */
export interface StreamConversion {
  /** Sees each request of the proxy. */
  request(message: Uint8Array): void;
  /** Undefined: the response is not of the type. */
  response(message: Uint8Array): Promise<Conversion> | undefined;
}

/** `INVALID_ARGUMENT` of gRPC. */
const INVALID = 3;

const log = scope("xdsproxy");

/** Creates the conversion of a stream. */
export function conversionOf(converter: ResourceConverter, path: string): StreamConversion {
  const typeUrl = new TextEncoder().encode(converter.typeUrl);
  const variant = path.includes("Delta") ? delta(converter) : stateOfTheWorld(converter, typeUrl);
  return {
    request: variant.request,
    response: (message) => hasTypeUrl(message, typeUrl) ? variant.response(message) : undefined,
  };
}

interface Variant {
  request(message: Uint8Array): void;
  response(message: Uint8Array): Promise<Conversion>;
}

function delta({ typeUrl, convert }: ResourceConverter): Variant {
  return {
    request: () => {},
    async response(message) {
      const response = fromBinary(DeltaDiscoveryResponseSchema, message);
      const detail = await attempt(async () => {
        await Promise.all(response.resources.map(async ({ resource }) => {
          if (resource !== undefined) resource.value = owned(await convert(resource.value));
        }));
      });
      if (detail === undefined) {
        return { to: "proxy", message: toBinary(DeltaDiscoveryResponseSchema, response) };
      }
      const nack = { typeUrl, responseNonce: response.nonce, errorDetail: detail };
      return { to: "daemon", message: encode(DeltaDiscoveryRequestSchema, nack) };
    },
  };
}

/** A NACK repeats the proxy's last request, which has the names and the version in use. */
function stateOfTheWorld({ typeUrl, convert }: ResourceConverter, encodedUrl: Uint8Array): Variant {
  let last = create(DiscoveryRequestSchema, { typeUrl });
  return {
    request: (message) => {
      if (!hasTypeUrl(message, encodedUrl)) return;
      const { versionInfo, resourceNames } = fromBinary(DiscoveryRequestSchema, message);
      last = create(DiscoveryRequestSchema, { typeUrl, versionInfo, resourceNames });
    },
    async response(message) {
      const response = fromBinary(DiscoveryResponseSchema, message);
      const detail = await attempt(async () => {
        await Promise.all(response.resources.map(async (resource) => {
          resource.value = owned(await convert(resource.value));
        }));
      });
      if (detail === undefined) {
        return { to: "proxy", message: toBinary(DiscoveryResponseSchema, response) };
      }
      const { versionInfo, resourceNames } = last;
      const nack = { typeUrl, versionInfo, resourceNames, responseNonce: response.nonce };
      return {
        to: "daemon",
        message: encode(DiscoveryRequestSchema, { ...nack, errorDetail: detail }),
      };
    },
  };
}

function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? bytes as Uint8Array<ArrayBuffer>
    : new Uint8Array(bytes);
}

async function attempt(
  use: () => Promise<void>,
): Promise<{ code: number; message: string } | undefined> {
  try {
    await use();
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    log.warn("a resource for the proxy cannot be converted", { reason: message });
    return { code: INVALID, message };
  }
}
