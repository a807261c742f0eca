/**
 * DNS cache of proxies for names that clients request.
 *
 * @module
 */
import { Cluster_DnsLookupFamily as LookupFamily } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  type DnsCacheConfig,
  DnsCacheConfigSchema,
} from "#envoy/extensions/common/dynamic_forward_proxy/v3/dns_cache_pb.ts";
import { create, durationOf } from "../../../kit/proto/mod.ts";

/** DNS lookup families by address family of the proxies. */
export const LOOKUP_FAMILIES: Readonly<Record<"v4" | "v6" | "dual", LookupFamily>> = {
  v4: LookupFamily.V4_ONLY,
  v6: LookupFamily.V6_ONLY,
  dual: LookupFamily.ALL,
};

/** DNS settings. */
export interface Lookup {
  /** Address families of the proxies. */
  readonly family: keyof typeof LOOKUP_FAMILIES;
  /** Interval of DNS resolution, ms. */
  readonly dnsRefreshRateMs: number;
}

/**
 * The cache that clusters and filters share. Envoy keeps one cache per name and rejects a second
 * one with the same name and other settings. The settings are therefore part of the name, and old
 * caches can coexist with new ones.
 */
export function dnsCache({ family, dnsRefreshRateMs }: Lookup): DnsCacheConfig {
  return create(DnsCacheConfigSchema, {
    name: `mesh-${family}-${dnsRefreshRateMs}ms`,
    dnsLookupFamily: LOOKUP_FAMILIES[family],
    dnsRefreshRate: durationOf(dnsRefreshRateMs),
  });
}
