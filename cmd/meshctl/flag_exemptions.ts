/**
 * Commands, arguments and flags that go beyond the tables of the interface description, with the
 * reason.
 *
 * @module
 */

/** Reasons by command line; the names are flags, or arguments in angle brackets. */
export type Additions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const TARGET = "the description gives the command without its argument";
const DASHBOARD = "the description does not show the remaining flags of the command";

/** The connection to a daemon, for commands that read it where there is no orchestrator. */
const CONNECTION = Object.fromEntries(
  [
    "xds-address",
    "xds-label",
    "xds-port",
    "authority",
    "cert-dir",
    "insecure",
    "plaintext",
    "timeout",
  ]
    .map((name) => [`--${name}`, "the daemon is asked where there is no orchestrator"]),
);

/** Commands that the description mentions without a table of flags. */
const WITHOUT_TABLE: readonly string[] = [
  ...[
    ...["prometheus", "grafana", "kiali", "jaeger", "zipkin", "skywalking"],
    ...["dataproxy", "proxy", "controlz", "meshd-debug"],
  ].map((name) => `dashboard ${name}`),
  ...["authz check", "check-inject", "config list", "describe pod", "describe service"].map((
    name,
  ) => `experimental ${name}`),
  ...["generate", "translate", "diff", "install"].map((name) => `manifest ${name}`),
  "options",
  ...["list", "dump", "diff"].map((name) => `profile ${name}`),
  ...["cluster", "listener", "endpoint", "eds", "bootstrap", "log", "ecds", "all"].map((name) =>
    `proxy-config ${name}`
  ),
  "waypoint status",
  ...["all", "certificate", "service", "policy", "workload", "connections", "log"].map((name) =>
    `ztunnel-config ${name}`
  ),
];

/** The additions. An empty record: the whole command. */
export const ADDED: Additions = {
  ...Object.fromEntries(WITHOUT_TABLE.map((name) => [`meshctl ${name}`, {}])),
  ...Object.fromEntries(
    [
      ...["request", "proxy", "resource"].map((name) => `explain ${name}`),
      "diff",
      "history",
      "incident",
      "rehearse",
      "test",
    ]
      .map((name) => [`meshctl ${name}`, {}]),
  ),
  // Flags of every command.
  meshctl: { "--orchclient-timeout": "the description names it outside of its tables" },
  "meshctl validate": {
    "<file>": "files without a flag, as other tools take them",
    "--output": "findings for programs",
  },
  ...Object.fromEntries(
    ["install", "upgrade"].map((name) => [`meshctl ${name}`, { "--verbose": "a time line" }]),
  ),
  "meshctl version": CONNECTION,
  "meshctl remote-clusters": CONNECTION,
  "meshctl proxy-config route": {
    ...CONNECTION,
    "--verbose": "the description gives no default",
  },
  "meshctl proxy-config secret": CONNECTION,
  "meshctl proxy-config rootca-compare": CONNECTION,
  "meshctl experimental proxy-status": { "<[<type>/]<name>[.<namespace>]>": TARGET },
  "meshctl experimental learned-scopes": {},
  "meshctl experimental migrate": {},
  "meshctl experimental precheck": {
    ...CONNECTION,
    "--proxies": "which proxies an upgrade changes",
    "--config-dir": "the configuration of --proxies",
    "--meshConfigFile": "the configuration of --proxies",
  },
  "meshctl experimental wait": {},
  "meshctl experimental workload entry configure": {
    "--capture-dns": "the description gives no default, and the files that it shows capture",
  },
  "meshctl experimental metrics": { "--prometheus": "a Prometheus outside an orchestrator" },
  "meshctl experimental internal-debug": { "--list": "the names of the debug pages" },
  "meshctl experimental dataproxy-stats": {
    "--type": "the description shows it in an invocation only",
    "--output": "forms for programs",
    "--selector": "several pods",
    "--file": "proxies outside an orchestrator",
    "--proxy-admin-port": "proxies with another admin port",
  },
  "meshctl waypoint delete": { "--revision": "newer clients delete the waypoints of a revision" },
  "meshctl dashboard": { "--port": DASHBOARD, "--browser": DASHBOARD },
};
