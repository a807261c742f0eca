import {
  completionCommand,
  type Invocation,
  type ProgramSpec,
  versionCommand,
  VKLOG_FLAG,
} from "../../lib/kit/cli/mod.ts";
import { configureLogging } from "../../lib/kit/log/mod.ts";
import { requestText } from "../../lib/kit/web/mod.ts";
import { DISCOVERY_FLAGS } from "./discovery_flags.ts";
import { discoveryOptions } from "./options.ts";

/** Default address of the daemon's monitoring listener. */
const MONITORING_ADDRESS = "127.0.0.1:15014";
const REQUEST_TIMEOUT_MS = 60_000;

/** The command line of the control plane daemon. */
export const PILOT_DISCOVERY: ProgramSpec = {
  name: "pilot-discovery",
  summary: "Mesh control plane daemon",
  description:
    "The control plane daemon of the mesh: traffic management, security and policy for " +
    "all data-plane proxies.",
  globalFlags: [VKLOG_FLAG],
  commands: [
    {
      name: "discovery",
      summary: "Start the discovery service",
      examples: ["pilot-discovery discovery --configDir ./config --grpcAddr 127.0.0.1:15010"],
      flags: DISCOVERY_FLAGS,
      run: runDiscovery,
    },
    {
      name: "request",
      summary: "Make one HTTP request to the daemon's metrics and debug endpoint",
      examples: ["pilot-discovery request GET /debug/syncz"],
      args: [
        {
          name: "method",
          description: "HTTP method",
          suggestions: ["GET", "POST", "PUT", "DELETE"],
        },
        { name: "path", description: "Path of the request, with its query" },
        { name: "body", description: "Body of the request", optional: true },
      ],
      run: runRequest,
    },
    versionCommand(),
    completionCommand("pilot-discovery"),
  ],
};

async function runDiscovery({ flags, signal }: Invocation): Promise<number> {
  const options = discoveryOptions(flags);
  // The daemon's modules are loaded by the one command that needs them, and before the log is
  // configured, because they open scopes that the flags may name.
  const { discovery } = await import("./discovery.ts");
  const endLogging = configureLogging(options.logging);
  try {
    return await discovery(options, signal);
  } finally {
    endLogging();
  }
}

async function runRequest({ args, io, signal }: Invocation): Promise<number> {
  const [method = "", path = "", body] = args;
  const timeoutMs = REQUEST_TIMEOUT_MS;
  io.out(await requestText({ address: MONITORING_ADDRESS, method, path, body, timeoutMs, signal }));
  return 0;
}
