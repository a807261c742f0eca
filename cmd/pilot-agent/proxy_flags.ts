import type { FlagSpec } from "../../lib/kit/cli/mod.ts";

/** The flags of `pilot-agent proxy`; the logging flags are global. */
export const PROXY_FLAGS: readonly FlagSpec[] = [
  {
    name: "concurrency",
    type: "int",
    default: "0",
    description: "Number of worker threads of the proxy",
  },
  {
    name: "domain",
    type: "string",
    description: "DNS domain suffix; when empty, ${POD_NAMESPACE}.svc.cluster.local",
  },
  {
    name: "meshConfig",
    type: "string",
    default: "./etc/mesh/config/mesh",
    complete: "file",
    description: "File with the mesh configuration; PROXY_CONFIG and the annotation " +
      "proxy.mesh.io/config override its proxy settings",
  },
  {
    name: "outlierLogPath",
    type: "string",
    complete: "file",
    description: "File that the proxy logs ejected hosts to",
  },
  {
    name: "profiling",
    type: "bool",
    description: "Serve profiles at the status port, below /debug/pprof/, to this machine alone",
  },
  {
    name: "proxyComponentLogLevel",
    type: "string",
    description: "Log levels of the proxy's components; deprecated, use --proxyLogLevel",
  },
  {
    name: "proxyLogLevel",
    type: "string",
    default: "warning,misc:error",
    description: "Log level of the proxy (trace, debug, info, warning, error, critical, off), " +
      "with component:level pairs after it",
  },
  {
    name: "serviceCluster",
    type: "string",
    default: "mesh-proxy",
    description: "Service cluster",
  },
  {
    name: "stsPort",
    type: "int",
    default: "0",
    description: "Port of the security token service; 0 for none",
  },
  {
    name: "templateFile",
    type: "string",
    complete: "file",
    description: "Template of the proxy's bootstrap configuration",
  },
  {
    name: "tokenManagerPlugin",
    type: "string",
    description: "Name of the token provider plugin",
  },
];
