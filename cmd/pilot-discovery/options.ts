import { type FlagValues, loggingFlagValues } from "../../lib/kit/cli/mod.ts";
import type { LoggingOptions } from "../../lib/kit/log/mod.ts";
import { POD_NAMESPACE, SYSTEM_NAMESPACE } from "./variables.ts";

/** Options of `pilot-discovery discovery`: one for each flag, times in milliseconds. */
export interface DiscoveryOptions {
  readonly caCertFile: string;
  /** Cluster id by alias. */
  readonly clusterAliases: ReadonlyMap<string, string>;
  readonly clusterId: string;
  readonly clusterRegistriesNamespace: string;
  readonly cniNamespace: string;
  readonly configDir: string;
  readonly ctrlzAddress: string;
  readonly ctrlzPort: number;
  readonly domain: string;
  /** Listener addresses are `host:port` or `:port`; empty switches a listener off. */
  readonly grpcAddr: string;
  readonly httpAddr: string;
  readonly httpsAddr: string;
  readonly secureGrpcAddr: string;
  readonly monitoringAddr: string;
  readonly keepaliveIntervalMs: number;
  readonly keepaliveMaxServerConnectionAgeMs: number;
  readonly keepaliveTimeoutMs: number;
  readonly orchConfig: string;
  readonly orchApiBurst: number;
  readonly orchApiQps: number;
  readonly meshConfig: string;
  readonly namespace: string;
  readonly networksConfig: string;
  readonly profile: boolean;
  readonly registries: readonly string[];
  readonly shutdownDurationMs: number;
  readonly tlsCipherSuites: readonly string[];
  readonly tlsCertFile: string;
  readonly tlsKeyFile: string;
  readonly logging: LoggingOptions;
  /** Names of the flags that the command line gives, for example `registries`. */
  readonly given: ReadonlySet<string>;
}

/** Collects the options from the parsed flags. */
export function discoveryOptions(flags: FlagValues): DiscoveryOptions {
  return {
    caCertFile: flags.string("caCertFile"),
    clusterAliases: flags.map("clusterAliases"),
    clusterId: flags.string("clusterID"),
    clusterRegistriesNamespace: flags.given.has("clusterRegistriesNamespace")
      ? flags.string("clusterRegistriesNamespace")
      : SYSTEM_NAMESPACE.get(),
    cniNamespace: ownNamespace(flags, "cniNamespace"),
    configDir: flags.string("configDir"),
    ctrlzAddress: flags.string("ctrlz_address"),
    ctrlzPort: flags.number("ctrlz_port"),
    domain: flags.string("domain"),
    grpcAddr: flags.string("grpcAddr"),
    httpAddr: flags.string("httpAddr"),
    httpsAddr: flags.string("httpsAddr"),
    secureGrpcAddr: flags.string("secureGRPCAddr"),
    monitoringAddr: flags.string("monitoringAddr"),
    keepaliveIntervalMs: flags.number("keepaliveInterval"),
    keepaliveMaxServerConnectionAgeMs: flags.number("keepaliveMaxServerConnectionAge"),
    keepaliveTimeoutMs: flags.number("keepaliveTimeout"),
    orchConfig: flags.string("orchconfig"),
    orchApiBurst: flags.number("orchApiBurst"),
    orchApiQps: flags.number("orchApiQPS"),
    meshConfig: flags.string("meshConfig"),
    namespace: ownNamespace(flags, "namespace"),
    networksConfig: flags.string("networksConfig"),
    profile: flags.bool("profile"),
    registries: flags.list("registries"),
    shutdownDurationMs: flags.number("shutdownDuration"),
    tlsCipherSuites: flags.list("tls-cipher-suites"),
    tlsCertFile: flags.string("tlsCertFile"),
    tlsKeyFile: flags.string("tlsKeyFile"),
    logging: loggingFlagValues(flags),
    given: flags.given,
  };
}

/** A flag, or `POD_NAMESPACE`, or `SYSTEM_NAMESPACE`. */
function ownNamespace(flags: FlagValues, name: string): string {
  const isNamed = flags.given.has(name) || (POD_NAMESPACE.get() ?? "") !== "";
  return isNamed ? flags.string(name) : SYSTEM_NAMESPACE.get();
}
