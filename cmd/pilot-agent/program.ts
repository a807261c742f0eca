import {
  completionCommand,
  type Invocation,
  LOG_FLAGS,
  loggingFlagValues,
  type ProgramSpec,
  versionCommand,
  VKLOG_FLAG,
} from "../../lib/kit/cli/mod.ts";
import { MeshError } from "../../lib/kit/base/mod.ts";
import { envTexts } from "../../lib/kit/env/mod.ts";
import { configureLogging, withLogging } from "../../lib/kit/log/mod.ts";
import { CLEAN_IPTABLES_FLAGS, IPTABLES_FLAGS } from "./iptables_flags.ts";
import { proxyOptions } from "./options.ts";
import { PROXY_FLAGS } from "./proxy_flags.ts";

/**
 * Admin API, readiness listener, status server, debug tap: what `request` may be sent to, and the status
 * server at a port of the pod's own.
 */
const REQUEST_PORTS: readonly number[] = [15000, 15021, 15020, 15004];
const REQUEST_TIMEOUT_MS = 60_000;

/** The command line of the node agent. */
export const PILOT_AGENT: ProgramSpec = {
  name: "pilot-agent",
  summary: "Mesh node agent",
  description: "The node agent of the mesh: runs in the sidecar or gateway container and " +
    "bootstraps the data-plane proxy.",
  globalFlags: [...LOG_FLAGS, VKLOG_FLAG],
  commands: [
    {
      name: "proxy",
      summary: "Run the xDS proxy agent",
      examples: ["pilot-agent proxy sidecar", "pilot-agent proxy router --concurrency=0"],
      args: [{
        name: "role",
        description: "Role of the proxy; sidecar when it is not given",
        choices: ["sidecar", "router", "waypoint"],
        optional: true,
      }],
      flags: PROXY_FLAGS,
      run: runProxy,
    },
    {
      name: "request",
      summary: "Make an HTTP request to the proxy's admin API",
      examples: ["pilot-agent request GET /config_dump", "pilot-agent request POST /logging"],
      args: [
        { name: "method", description: "HTTP method", suggestions: ["GET", "POST"] },
        { name: "path", description: "Path of the request, with its query" },
        { name: "body", description: "Body of the request", optional: true },
      ],
      flags: [{
        name: "debug-port",
        type: "int32",
        default: "15000",
        description: "Port on localhost to send the request to",
      }],
      run: runRequest,
    },
    {
      name: "wait",
      summary: "Wait until the proxy is ready",
      examples: ["pilot-agent wait", "pilot-agent wait --url=http://localhost:15020/healthz/ready"],
      flags: [
        {
          name: "url",
          type: "string",
          default: "http://localhost:15021/healthz/ready",
          description: "URL that answers with status 200 when the proxy is ready",
        },
        {
          name: "timeoutSeconds",
          type: "int32",
          default: "60",
          description: "Longest wait, in seconds",
        },
        {
          name: "requestTimeoutMillis",
          type: "int32",
          default: "500",
          description: "Longest wait for an answer, in milliseconds",
        },
        {
          name: "periodMillis",
          type: "int32",
          default: "500",
          description: "Pause between two requests, in milliseconds",
        },
      ],
      run: runWait,
    },
    {
      name: "mesh-iptables",
      summary: "Set up port forwarding to the sidecar",
      examples: [
        "pilot-agent mesh-iptables -p 15001 -z 15006 -u 1337 -g 1337 -i '*' -b '*' -d 15020",
        "pilot-agent mesh-iptables --dry-run -i 10.0.0.0/8",
      ],
      flags: IPTABLES_FLAGS,
      run: async (call) => await runCapture(call, "captureOptions"),
    },
    {
      name: "mesh-clean-iptables",
      summary: "Remove the iptables rules of the sidecar",
      flags: CLEAN_IPTABLES_FLAGS,
      run: async (call) => await runCapture(call, "cleaningOptions"),
    },
    withLogging(versionCommand()),
    withLogging(completionCommand("pilot-agent")),
  ],
};

async function runProxy({ args, flags, signal }: Invocation): Promise<number> {
  const options = proxyOptions(flags, args[0]);
  // Loaded first: the agent's modules open scopes that the logging flags may name.
  const { proxy } = await import("./proxy.ts");
  const endLogging = configureLogging(options.logging);
  try {
    return await proxy(options, signal);
  } finally {
    endLogging();
  }
}

async function runWait({ flags, signal }: Invocation): Promise<number> {
  const { waitUntilReady } = await import("./wait.ts");
  const endLogging = configureLogging(loggingFlagValues(flags));
  try {
    await waitUntilReady({
      url: flags.string("url"),
      timeoutMs: flags.number("timeoutSeconds") * 1000,
      requestTimeoutMs: flags.number("requestTimeoutMillis"),
      periodMs: flags.number("periodMillis"),
    }, signal);
    return 0;
  } finally {
    endLogging();
  }
}

async function runRequest({ args, flags, io, signal }: Invocation): Promise<number> {
  const port = flags.number("debug-port");
  if (!REQUEST_PORTS.includes(port) && !await isStatusPort(port)) {
    const allowed = REQUEST_PORTS.join(" ");
    throw new MeshError(
      "port-not-allowed",
      `debug port ${port} is not in allowed list [${allowed}]`,
    );
  }
  const { requestText } = await import("../../lib/kit/web/mod.ts");
  const endLogging = configureLogging(loggingFlagValues(flags));
  try {
    const [method = "", path = "", body] = args;
    const timeoutMs = REQUEST_TIMEOUT_MS;
    const address = `localhost:${port}`;
    io.out(await requestText({ address, method, path, body, timeoutMs, signal }));
    return 0;
  } finally {
    endLogging();
  }
}

async function isStatusPort(port: number): Promise<boolean> {
  const { ownStatusPort } = await import("../../lib/node/agent/mod.ts");
  return port !== 0 && port === await ownStatusPort(envTexts());
}

async function runCapture(
  { flags, io }: Invocation,
  kind: "captureOptions" | "cleaningOptions",
): Promise<number> {
  const { capture } = await import("./capture.ts");
  const options = await import("./capture_options.ts");
  const endLogging = configureLogging(loggingFlagValues(flags));
  try {
    return await capture(options[kind](flags), io);
  } finally {
    endLogging();
  }
}
