import { type FlagValues, loggingFlagValues } from "../../lib/kit/cli/mod.ts";
import type { AgentRole } from "../../lib/node/agent/mod.ts";
import type { LoggingOptions } from "../../lib/kit/log/mod.ts";

/** Options of `pilot-agent proxy`. */
export interface ProxyOptions {
  readonly role: AgentRole;
  /** Worker threads of the proxy; 0 leaves the choice to the configuration when not given. */
  readonly concurrency: number;
  /** DNS suffix; empty: `${POD_NAMESPACE}.svc.cluster.local`. */
  readonly domain: string;
  /** Mesh configuration file. */
  readonly meshConfig: string;
  readonly outlierLogPath: string;
  readonly profiling: boolean;
  /** Deprecated form of scopes in `proxyLogLevel`; `scope:level,…`, empty for none. */
  readonly proxyComponentLogLevel: string;
  /** `level[,scope:level…]`, for example `warning,misc:error`. */
  readonly proxyLogLevel: string;
  readonly serviceCluster: string;
  /** Port of the security token service; 0 for none. */
  readonly stsPort: number;
  readonly templateFile: string;
  readonly tokenManagerPlugin: string;
  readonly logging: LoggingOptions;
  /** Names of the flags that the command line gives, for example `concurrency`. */
  readonly given: ReadonlySet<string>;
}

/**
 * Collects the options from the parsed flags.
 *
 * @param role the argument, a role; checked by the command table
 */
export function proxyOptions(flags: FlagValues, role: string = "sidecar"): ProxyOptions {
  return {
    role: role === "router" || role === "waypoint" ? role : "sidecar",
    concurrency: flags.number("concurrency"),
    domain: flags.string("domain"),
    meshConfig: flags.string("meshConfig"),
    outlierLogPath: flags.string("outlierLogPath"),
    profiling: flags.bool("profiling"),
    proxyComponentLogLevel: flags.string("proxyComponentLogLevel"),
    proxyLogLevel: flags.string("proxyLogLevel"),
    serviceCluster: flags.string("serviceCluster"),
    stsPort: flags.number("stsPort"),
    templateFile: flags.string("templateFile"),
    tokenManagerPlugin: flags.string("tokenManagerPlugin"),
    logging: loggingFlagValues(flags),
    given: flags.given,
  };
}
