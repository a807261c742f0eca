/**
 * A small delta xDS server for tests of the agent's relay: it serves fixed resources and records
 * requests.
 *
 * @module
 */
import {
  type Any,
  create,
  encode,
  fromBinary,
  type MessageInitShape,
  packAny,
  TYPE_URL_PREFIX,
} from "../../lib/kit/proto/mod.ts";
import { type RpcCall, startRpc } from "../../lib/kit/rpc/mod.ts";
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  type ResourceSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { HttpConnectionManagerSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { RouterSchema } from "#envoy/extensions/filters/http/router/v3/router_pb.ts";

/** Resources by type URL and name. */
export type Resources = Readonly<Record<string, Readonly<Record<string, Any>>>>;

/** A running server. */
export interface AdsServer extends AsyncDisposable {
  readonly port: number;
  /** Every request, in order. */
  readonly requests: readonly DeltaDiscoveryRequest[];
}

/** Type URL of listeners. */
export const LISTENER: string = `${TYPE_URL_PREFIX}envoy.config.listener.v3.Listener`;
const CLUSTER = `${TYPE_URL_PREFIX}envoy.config.cluster.v3.Cluster`;
const DELTA = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
/** The one version of every resource. */
const VERSION = "v1";

/** Starts a server on a port of loopback; 0 picks one. */
export async function startAds(resources: Resources, port = 0): Promise<AdsServer> {
  const requests: DeltaDiscoveryRequest[] = [];
  const server = await startRpc({
    address: `127.0.0.1:${port}`,
    services: [{ path: DELTA, handle: (call) => serve(call, resources, requests) }],
    limits: { maxReceive: 4 * 1024 * 1024, maxStreams: 100 },
    keepalive: { interval: 30_000, timeout: 10_000 },
  });
  return { port: server.port, requests, [Symbol.asyncDispose]: () => server.stop(0) };
}

/** Answers the first request of each type with what the proxy does not hold. */
async function serve(
  call: RpcCall,
  all: Resources,
  requests: DeltaDiscoveryRequest[],
): Promise<void> {
  const seen = new Set<string>();
  for await (const bytes of call.messages) {
    const request = fromBinary(DeltaDiscoveryRequestSchema, bytes);
    requests.push(request);
    const { typeUrl } = request;
    if (seen.has(typeUrl) || (typeUrl !== LISTENER && typeUrl !== CLUSTER)) continue;
    seen.add(typeUrl);
    const resources: MessageInitShape<typeof ResourceSchema>[] = [];
    for (const [name, resource] of Object.entries(all[typeUrl] ?? {})) {
      if (request.initialResourceVersions[name] === VERSION) continue;
      resources.push({ name, version: VERSION, resource });
    }
    call.send(encode(DeltaDiscoveryResponseSchema, { typeUrl, nonce: typeUrl, resources }));
  }
}

/** A listener on loopback that answers every request with 200 and a text. */
export function answeringListener(name: string, port: number, text: string): Any {
  const manager = packAny(HttpConnectionManagerSchema, {
    statPrefix: name,
    routeSpecifier: {
      case: "routeConfig",
      value: {
        virtualHosts: [{
          name: "all",
          domains: ["*"],
          routes: [{
            match: { pathSpecifier: { case: "prefix", value: "/" } },
            action: {
              case: "directResponse",
              value: {
                status: 200,
                body: { specifier: { case: "inlineString", value: text } },
              },
            },
          }],
        }],
      },
    },
    httpFilters: [{
      name: "envoy.filters.http.router",
      configType: { case: "typedConfig", value: packAny(RouterSchema, create(RouterSchema)) },
    }],
  });
  return packAny(ListenerSchema, {
    name,
    trafficDirection: 1,
    address: {
      address: {
        case: "socketAddress",
        value: { address: "127.0.0.1", portSpecifier: { case: "portValue", value: port } },
      },
    },
    filterChains: [{
      filters: [{
        name: "envoy.filters.network.http_connection_manager",
        configType: { case: "typedConfig", value: manager },
      }],
    }],
  });
}
