/**
 * What proxies keep of the names that they look up for their clients.
 *
 * @module
 */
import { Cluster_DnsLookupFamily as LookupFamily } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  type DnsCacheConfig,
  DnsCacheConfigSchema,
} from "#envoy/extensions/common/dynamic_forward_proxy/v3/dns_cache_pb.ts";
import { create, durationOf } from "../../proto/mod.ts";

/** Which addresses of a name are of use to proxies of an address family. */
export const LOOKUP_FAMILIES: Readonly<Record<"v4" | "v6" | "dual", LookupFamily>> = {
  v4: LookupFamily.V4_ONLY,
  v6: LookupFamily.V6_ONLY,
  dual: LookupFamily.ALL,
};

/** What names are looked up by. */
export interface Lookup {
  /** Address families of the proxies. */
  readonly family: keyof typeof LOOKUP_FAMILIES;
  /** How often names are looked up again, ms. */
  readonly dnsRefreshRateMs: number;
}

/**
 * The cache that clusters and filters share. Envoy holds one for each name, and
 * refuses a second of the same name with other settings: so the settings are in
 * the name, and old ones may go on beside new ones.
 */
export function dnsCache({ family, dnsRefreshRateMs }: Lookup): DnsCacheConfig {
  return create(DnsCacheConfigSchema, {
    name: `mesh-${family}-${dnsRefreshRateMs}ms`,
    dnsLookupFamily: LOOKUP_FAMILIES[family],
    dnsRefreshRate: durationOf(dnsRefreshRateMs),
  });
}
