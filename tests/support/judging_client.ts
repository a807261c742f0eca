/**
 * A delta client that requests all types and answers each response as the test decides.
 *
 * @module
 */
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { create, encode, fromBinary, type MessageInitShape } from "../../lib/kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

type Request = MessageInitShape<typeof DeltaDiscoveryRequestSchema>;

/** Options of a client. */
export interface JudgingOptions {
  readonly name: string;
  readonly ip: string;
  /** Default: `test`. */
  readonly namespace?: string;
  /** Default: `sidecar`. */
  readonly role?: "sidecar" | "router";
  /** Metadata beside the labels. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly routes?: readonly string[];
  readonly endpoints?: readonly string[];
  /** Returns the problem of a response that has resources with these names; default: none. */
  readonly judge?: (names: readonly string[]) => string | undefined;
}

/** A connected client. */
export interface JudgingClient extends AsyncDisposable {
  /** Names of resources that came in responses it accepted, and did not go since. */
  readonly held: ReadonlySet<string>;
  send(request: Request): void;
}

/** Connects a proxy. */
export function connectJudging(xds: string, options: JudgingOptions): JudgingClient {
  const { name, ip, routes = [], endpoints = [], judge = () => undefined } = options;
  const { namespace = "test", role = "sidecar", labels = {}, metadata = {} } = options;
  const stream = openStream({
    target: xds,
    path: "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
  });
  const send = (request: Request) =>
    stream.send(encode(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, request)));
  const held = new Set<string>();
  send({
    node: {
      id: `${role}~${ip}~${name}.${namespace}~${namespace}.svc.cluster.local`,
      metadata: { ...metadata, LABELS: { ...labels } },
    },
    typeUrl: TYPE_URLS.cluster,
  });
  send({ typeUrl: TYPE_URLS.listener });
  send({ typeUrl: TYPE_URLS.route, resourceNamesSubscribe: [...routes] });
  send({ typeUrl: TYPE_URLS.endpoint, resourceNamesSubscribe: [...endpoints] });
  const reading = (async () => {
    for await (const bytes of stream.messages) {
      const response = fromBinary(DeltaDiscoveryResponseSchema, bytes);
      const { typeUrl, nonce } = response;
      const names = response.resources.map((one) => one.name);
      const message = judge(names);
      if (message === undefined) {
        for (const one of names) held.add(one);
        for (const one of response.removedResources) held.delete(one);
      }
      send({
        typeUrl,
        responseNonce: nonce,
        ...(message === undefined ? {} : { errorDetail: { code: 3, message } }),
      });
    }
  })().catch(() => {}); // The stream was cut; who waits for something of it will say so.
  return {
    held,
    send,
    [Symbol.asyncDispose]: () => {
      stream.close();
      return reading;
    },
  };
}
