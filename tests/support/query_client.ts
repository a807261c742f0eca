/**
 * A client that asks a daemon for one type, over either variant, and reads the answers as JSON.
 *
 * @module
 */
import { openStream, type RpcClientTls } from "../../lib/kit/rpc/mod.ts";
import { encode, fromBinary } from "../../lib/kit/proto/mod.ts";
import { ResourceSchema } from "#mesh/mcp/v1alpha1/resource_pb.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { nextMessage } from "./next_message.ts";

const SERVICE = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";

/** A question and the client that asks it. */
export interface Question {
  readonly target: string;
  readonly typeUrl: string;
  readonly names?: readonly string[];
  readonly generator?: string;
  readonly namespace?: string;
  readonly tls?: RpcClientTls;
  readonly token?: string;
}

/** A stream of one type. */
export interface Asking extends AsyncDisposable {
  /** The resources of the next response, which is acknowledged. Rejects when the stream fails. */
  next(): Promise<{ readonly values: readonly Uint8Array[]; readonly removed: readonly string[] }>;
}

/** Asks over one variant. */
export function ask(variant: "sotw" | "delta", question: Question): Asking {
  const { target, typeUrl, names = [], generator, namespace = "tools", tls, token } = question;
  const stream = openStream({
    target,
    tls,
    path: `${SERVICE}${variant === "delta" ? "Delta" : "Stream"}AggregatedResources`,
    ...token !== undefined && { metadata: { authorization: `Bearer ${token}` } },
  });
  const node = {
    id: `sidecar~127.0.0.1~tool.${namespace}~${namespace}.svc.cluster.local`,
    ...generator !== undefined && { metadata: { GENERATOR: generator } },
  };
  const send = (responseNonce: string): void =>
    void stream.send(
      variant === "delta"
        ? encode(DeltaDiscoveryRequestSchema, {
          node,
          typeUrl,
          responseNonce,
          resourceNamesSubscribe: responseNonce === "" ? [...names] : [],
        })
        : encode(DiscoveryRequestSchema, {
          node,
          typeUrl,
          responseNonce,
          resourceNames: [...names],
        }),
    );
  send("");
  const incoming = stream.messages[Symbol.asyncIterator]();
  return {
    async next() {
      const value = await nextMessage(incoming);
      if (variant === "sotw") {
        const { resources, nonce } = fromBinary(DiscoveryResponseSchema, value);
        send(nonce);
        return { values: resources.map(({ value }) => value), removed: [] };
      }
      const response = fromBinary(DeltaDiscoveryResponseSchema, value);
      send(response.nonce);
      return {
        values: response.resources.map(({ resource }) => resource?.value ?? new Uint8Array()),
        removed: response.removedResources,
      };
    },
    async [Symbol.asyncDispose]() {
      stream.close();
      await stream.ended;
    },
  };
}

/** Asks one question and reads its first answer as JSON. */
export async function askJson<T>(variant: "sotw" | "delta", question: Question): Promise<T> {
  await using asking = ask(variant, question);
  const [value] = (await asking.next()).values;
  return JSON.parse(new TextDecoder().decode(value)) as T;
}

/** Names of objects in a response. */
export function objectNames(values: readonly Uint8Array[]): string[] {
  return values.map((value) => fromBinary(ResourceSchema, value).metadata?.name ?? "").sort();
}
