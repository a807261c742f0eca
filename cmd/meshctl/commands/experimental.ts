import type { CommandSpec, FlagSpec } from "../../../lib/kit/cli/mod.ts";
import { fileFlag, flag, outputFlag, REVISION, XDS_FLAGS } from "./flags.ts";
import { workload } from "./install.ts";
import { POD, PROXY } from "./proxy.ts";
import { experimentalProxyStatus } from "./proxy_status.ts";
import { experimentalVersion } from "./version.ts";

const ADMIN_PORT = flag("proxy-admin-port", "int", "Port of the proxy's admin interface", {
  default: "15000",
});

const authz: CommandSpec = {
  name: "authz",
  summary: "Commands about authorization",
  commands: [{
    name: "check",
    summary: "Show the authorization policies that a proxy enforces",
    examples: ["meshctl x authz check web-1.shop", "meshctl x authz check -f config_dump.json"],
    args: [PROXY],
    flags: [
      fileFlag("Config dump of a proxy, - for standard input, or the URL of its admin page"),
      ADMIN_PORT,
      ...XDS_FLAGS,
    ],
    run: async (call) =>
      await (await import("../../../lib/insight/proxies/mod.ts")).authzCheck(call),
  }],
};

const DESCRIBE_FLAGS: readonly FlagSpec[] = [
  flag("ignoreUnmeshed", "bool", "Say nothing about pods without proxy"),
  REVISION,
  ...XDS_FLAGS,
];

const describe: CommandSpec = {
  name: "describe",
  aliases: ["des"],
  summary: "Describe a pod or a service in words",
  commands: [
    {
      name: "pod",
      summary: "Describe a pod: its services, routes, rules and security",
      description:
        "Describes a pod by the objects of the cluster, and its proxy by what the daemon serves to it.",
      examples: [
        "meshctl x describe pod web-1.shop",
        "meshctl x describe pod deployment/web -n shop",
      ],
      args: [{ ...POD, optional: false }],
      flags: DESCRIBE_FLAGS,
      run: async (call) =>
        await (await import("../../../lib/insight/describe/mod.ts")).describePodCommand(call),
    },
    {
      name: "service",
      aliases: ["svc"],
      summary: "Describe a service: its ports, routes, rules and security",
      description:
        "Describes a service by the objects of the cluster, and the proxy of one of its pods by what\n" +
        "the daemon serves to it.",
      examples: ["meshctl x describe service web.shop"],
      args: [{
        name: "service",
        description: "<name>[.<namespace>]",
        candidates: async (request) =>
          await (await import("../../../lib/insight/cluster_access/mod.ts")).serviceNames(request),
      }],
      flags: DESCRIBE_FLAGS,
      run: async (call) =>
        await (await import("../../../lib/insight/describe/mod.ts")).describeServiceCommand(call),
    },
  ],
};

const waitCommand: CommandSpec = {
  name: "wait",
  summary: "Wait until proxies have acknowledged an edit",
  description:
    "Waits until the proxies that the newest edit of an object concerns have acknowledged\n" +
    "it, as the daemon's receipts say. Status 1 when a proxy rejects it, or on the time limit.",
  examples: [
    "meshctl x wait VirtualService web.shop",
    "meshctl x wait VirtualService web.shop --generation 4 --threshold 0.9 --timeout 1m",
  ],
  args: [
    { name: "kind", description: "Kind of the object" },
    { name: "name[.namespace]", description: "Name of the object" },
  ],
  flags: [
    flag("generation", "int", "Lowest generation that counts; default: the newest edit"),
    flag("threshold", "float32", "Share of the proxies that must have it", { default: "1" }),
    REVISION,
    ...XDS_FLAGS,
  ],
  run: async (call) => await (await import("../../../lib/insight/daemons/mod.ts")).wait(call),
};

/** `experimental` and its sub-commands. */
export const experimental: CommandSpec = {
  name: "experimental",
  aliases: ["x", "exp"],
  summary: "Commands that may change",
  commands: [
    authz,
    {
      name: "check-inject",
      aliases: ["inject-check", "chk-inj"],
      summary: "Show which injectors put the proxy into a pod, and why",
      examples: ["meshctl x check-inject web-1.shop", "meshctl x check-inject -n shop -l app=web"],
      args: [POD],
      flags: [flag("labels", "string", "Labels of a pod that does not exist", { short: "l" })],
      run: async (call) => await (await import("../check_inject.ts")).checkInject(call),
    },
    {
      name: "config",
      summary: "Commands about the settings of meshctl",
      commands: [{
        name: "list",
        summary: "List settings and their origin",
        run: async (call) => (await import("../config_list.ts")).configList(call),
      }],
    },
    describe,
    {
      name: "dataproxy-stats",
      aliases: ["ds", "es", "envoy-stats"],
      summary: "Show metrics of a proxy",
      examples: ["meshctl x dataproxy-stats web-1.shop --type clusters"],
      args: [{ name: "pod-name[.namespace]", description: "Pod of the proxy", optional: true }],
      flags: [
        flag("type", "string", "Metrics of the proxy or its clusters", {
          short: "t",
          default: "server",
          choices: ["server", "clusters"],
        }),
        outputFlag(["short", "json", "yaml", "prom", "prom-merged"], "short"),
        flag("selector", "string", "Labels that select pods", { short: "l" }),
        ADMIN_PORT,
        fileFlag("URL of the proxy's admin page"),
      ],
      run: async (call) =>
        await (await import("../../../lib/insight/proxies/mod.ts")).dataproxyStats(call),
    },
    {
      name: "injector",
      summary: "Commands about injectors",
      commands: [{
        name: "list",
        aliases: ["l"],
        summary: "List injectors and revisions of proxies",
        examples: ["meshctl x injector list"],
        run: async (call) => await (await import("../injector_list.ts")).injectorList(call),
      }],
    },
    {
      name: "internal-debug",
      aliases: ["iD"],
      summary: "Print a debug page of the daemon",
      examples: ["meshctl x internal-debug syncz --xds-address localhost:15010 --plaintext"],
      args: [PROXY],
      flags: [
        flag("all", "bool", "Ask every instance of the daemon"),
        flag("list", "bool", "List the debug pages"),
        REVISION,
        ...XDS_FLAGS,
      ],
      run: async (call) =>
        await (await import("../../../lib/insight/daemons/mod.ts")).internalDebug(call),
    },
    {
      name: "metrics",
      aliases: ["m"],
      summary: "Print request metrics of workloads",
      examples: ["meshctl x metrics web.shop --prometheus http://localhost:9090"],
      args: [{ name: "workload name", description: "<name>[.<namespace>]", variadic: true }],
      flags: [
        flag("duration", "duration", "Time that the metrics cover", {
          short: "d",
          default: "1m0s",
        }),
        flag("prometheus", "string", "Address of the Prometheus, http://HOST:PORT"),
      ],
      run: async (call) =>
        await (await import("../../../lib/insight/proxies/mod.ts")).metrics(call),
    },
    {
      name: "precheck",
      summary: "Check if the mesh can be installed or upgraded",
      description:
        "Checks the version of the orchestrator, the rights of the identity, the definitions of\n" +
        "the Gateway API, and the sockets of running pods: no port of a Service may be bound to\n" +
        "the loopback interface alone. With --from-version it says which defaults differ from\n" +
        "those of that version: no release has changed one. The status is 1 when an error is found.",
      examples: ["meshctl x precheck", "meshctl x precheck --output-threshold Info -o json"],
      flags: [
        flag("from-version", "string", "Version that is upgraded from", { short: "f" }),
        outputFlag(["log", "json", "yaml"], "log"),
        flag("output-threshold", "string", "Lowest severity that is shown", {
          typeName: "Level",
          default: "Warning",
          choices: ["Info", "Warning", "Error"],
        }),
        REVISION,
        flag("skip-controlplane", "bool", "Do not check the control plane"),
      ],
      run: async (call) =>
        await (await import("../../../lib/insight/precheck/mod.ts")).precheck(call),
    },
    experimentalProxyStatus,
    experimentalVersion,
    waitCommand,
    workload,
  ],
};
