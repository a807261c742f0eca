/**
 * Small real resources, encoded, for tests of serving with a real Envoy.
 *
 * @module
 */
import { create, durationOf, encode, packAny } from "../../lib/kit/proto/mod.ts";
import { Cluster_DiscoveryType, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { type ConfigSource, ConfigSourceSchema } from "#envoy/config/core/v3/config_source_pb.ts";
import { HttpConnectionManagerSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { RouterSchema } from "#envoy/extensions/filters/http/router/v3/router_pb.ts";

function overAds(): ConfigSource {
  return create(ConfigSourceSchema, {
    resourceApiVersion: 2,
    configSourceSpecifier: { case: "ads", value: {} },
    // Long enough that a missing resource is visible as one that warms forever.
    initialFetchTimeout: durationOf(60_000),
  });
}

/** A cluster whose endpoints are discovered; another timeout makes another version of it. */
export function edsCluster(name: string, connectTimeoutMs = 1000): Uint8Array {
  return encode(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.EDS },
    edsClusterConfig: { edsConfig: overAds() },
    connectTimeout: durationOf(connectTimeoutMs),
  });
}

/** Endpoints of a cluster on loopback. */
export function endpointsAt(name: string, ...ports: readonly number[]): Uint8Array {
  return encode(ClusterLoadAssignmentSchema, {
    clusterName: name,
    endpoints: [{
      lbEndpoints: ports.map((port) => ({
        hostIdentifier: {
          case: "endpoint" as const,
          value: {
            address: {
              address: {
                case: "socketAddress" as const,
                value: {
                  address: "127.0.0.1",
                  portSpecifier: { case: "portValue" as const, value: port },
                },
              },
            },
          },
        },
      })),
    }],
  });
}

/** A listener on loopback whose routes are discovered; another prefix makes another version of it. */
export function rdsListener(
  name: string,
  port: number,
  routeName: string,
  statPrefix = "in",
): Uint8Array {
  const manager = packAny(HttpConnectionManagerSchema, {
    statPrefix,
    routeSpecifier: {
      case: "rds",
      value: { configSource: overAds(), routeConfigName: routeName },
    },
    httpFilters: [{
      name: "envoy.filters.http.router",
      configType: { case: "typedConfig", value: packAny(RouterSchema, {}) },
    }],
  });
  return encode(ListenerSchema, {
    name,
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

/** Routes that send everything to one cluster. */
export function routesTo(name: string, cluster: string): Uint8Array {
  return encode(RouteConfigurationSchema, {
    name,
    virtualHosts: [{
      name: "all",
      domains: ["*"],
      routes: [{
        match: { pathSpecifier: { case: "prefix", value: "/" } },
        action: {
          case: "route",
          value: { clusterSpecifier: { case: "cluster", value: cluster } },
        },
      }],
    }],
  });
}
