/**
 * The gRPC side of the debug tap: discovery streams with requests for types of debug queries only.
 *
 * @module
 */
import { encode, fromBinary } from "../../../kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DiscoveryRequestSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type RpcCall, RpcError, type RpcMethod, type RpcStream } from "../../../kit/rpc/mod.ts";
import { askingNode, type DaemonLink, DEBUG_TYPES, openAsking, SERVICE } from "./question.ts";

const METHODS = [
  { name: "StreamAggregatedResources", schema: DiscoveryRequestSchema },
  { name: "DeltaAggregatedResources", schema: DeltaDiscoveryRequestSchema },
] as const;

type RequestSchema = (typeof METHODS)[number]["schema"];

/** Streams at a time, of all clients; each has a connection to the daemon. */
const MAX_STREAMS = 8;

/** Methods of the tap: both variants of discovery. */
export function tapMethods(link: DaemonLink): RpcMethod[] {
  let open = 0;
  return METHODS.map(({ name, schema }) => ({
    path: SERVICE + name,
    async handle(call) {
      if (open >= MAX_STREAMS) {
        throw new RpcError("RESOURCE_EXHAUSTED", `the debug tap serves ${MAX_STREAMS} streams`);
      }
      open++;
      try {
        await relayQueries(call, SERVICE + name, link, schema);
      } finally {
        open--;
      }
    },
  }));
}

/** Relays one stream until either side ends. */
async function relayQueries(
  call: RpcCall,
  path: string,
  link: DaemonLink,
  schema: RequestSchema,
): Promise<void> {
  const upstream = await openAsking(link, path);
  void call.ended.then(() => upstream.close());
  let refusal: unknown;
  void forward(call, upstream, link, schema).catch((error) => {
    refusal = error;
    upstream.close();
  });
  try {
    for await (const message of upstream.messages) {
      if (!call.send(message)) await call.drained();
    }
    if (refusal !== undefined) throw refusal;
  } finally {
    upstream.close();
  }
}

/** The node that the client sends is replaced: it may ask only as the agent may. */
async function forward(
  call: RpcCall,
  upstream: RpcStream,
  link: DaemonLink,
  schema: RequestSchema,
): Promise<void> {
  let node: ReturnType<typeof askingNode> | undefined = askingNode(link.node);
  for await (const message of call.messages) {
    const request = parsed(schema, message);
    if (!request.typeUrl.startsWith(DEBUG_TYPES)) {
      throw new RpcError(
        "PERMISSION_DENIED",
        `the debug tap takes types of debug queries (${DEBUG_TYPES}debug, …) only`,
      );
    }
    const sent = schema === DiscoveryRequestSchema
      ? encode(DiscoveryRequestSchema, { ...request as object, node })
      : encode(DeltaDiscoveryRequestSchema, { ...request as object, node });
    node = undefined;
    if (!upstream.send(sent)) await upstream.drained();
  }
  upstream.end();
}

function parsed(schema: RequestSchema, message: Uint8Array): { readonly typeUrl: string } {
  try {
    return schema === DiscoveryRequestSchema
      ? fromBinary(DiscoveryRequestSchema, message)
      : fromBinary(DeltaDiscoveryRequestSchema, message);
  } catch (cause) {
    throw new RpcError("INVALID_ARGUMENT", "a request is not valid", { cause });
  }
}
