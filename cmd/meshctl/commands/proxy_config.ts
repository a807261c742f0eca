import type { CommandSpec, FlagSpec } from "../../../lib/kit/cli/mod.ts";
import { ADMIN_PORT, fileFlag, flag, outputFlag, XDS_FLAGS } from "./flags.ts";
import { PROXY } from "./proxy.ts";

const FILE = fileFlag("Config dump of a proxy, - for standard input, or the URL of its admin page");
const OUTPUT = outputFlag(["json", "yaml", "short"], "short");
const COMMON: readonly FlagSpec[] = [FILE, OUTPUT, ADMIN_PORT];

const verbose = (preset: string) =>
  flag("verbose", "bool", "Show more columns", { default: preset });
const FQDN = flag("fqdn", "string", "Clusters of this host");
const DIRECTION = flag("direction", "string", "Clusters of this direction", {
  choices: ["inbound", "outbound"],
});
const SUBSET = flag("subset", "string", "Clusters of this subset");
const PORT = flag("port", "int", "Only this port");
const ADDRESS = flag("address", "string", "Only this address");
const TYPE = flag("type", "string", "Listeners of this type", {
  choices: ["HTTP", "TCP", "HTTP+TCP", "UNKNOWN"],
});
const NAME = flag("name", "string", "Routes of this name");
const CLUSTER = flag("cluster", "string", "Endpoints of this cluster");
const STATUS = flag("status", "string", "Endpoints of this status");

/** A sub-command that shows one part of a proxy. */
function part(
  name: string,
  aliases: readonly string[],
  summary: string,
  flags: readonly FlagSpec[],
): CommandSpec {
  return {
    name,
    aliases,
    summary,
    examples: [
      `meshctl proxy-config ${name} web-1.shop`,
      `meshctl proxy-config ${name} -f config_dump.json -o json`,
    ],
    args: [PROXY],
    flags: [...flags, ...XDS_FLAGS],
    run: async (call) => {
      const { showAll, showPart } = await import("../../../lib/insight/proxies/mod.ts");
      return name === "all" ? await showAll(call) : await showPart(call, name);
    },
  };
}

/** `proxy-config` and its sub-commands. */
export const proxyConfig: CommandSpec = {
  name: "proxy-config",
  aliases: ["pc"],
  summary: "Show the configuration of a proxy",
  commands: [
    part("cluster", ["clusters", "c"], "Show clusters", [...COMMON, FQDN, DIRECTION, SUBSET, PORT]),
    part("listener", ["listeners", "l"], "Show listeners", [
      ...COMMON,
      ADDRESS,
      PORT,
      TYPE,
      verbose("true"),
    ]),
    part("route", ["routes", "r"], "Show routes", [...COMMON, NAME, verbose("true")]),
    part("endpoint", ["endpoints", "ep"], "Show endpoints with their state", [
      ...COMMON,
      ADDRESS,
      PORT,
      CLUSTER,
      STATUS,
    ]),
    part("eds", [], "Show endpoints as the daemon sent them", [
      ...COMMON,
      ADDRESS,
      PORT,
      CLUSTER,
      STATUS,
    ]),
    part("bootstrap", ["b"], "Show the bootstrap configuration", [
      FILE,
      outputFlag(["json", "yaml", "short"], "json"),
      ADMIN_PORT,
    ]),
    {
      name: "log",
      aliases: ["o"],
      summary: "Read or change log levels",
      examples: [
        "meshctl proxy-config log -f http://localhost:15000",
        "meshctl proxy-config log -f http://localhost:15000 --level rbac:debug",
      ],
      args: [PROXY],
      flags: [
        flag("level", "string", "Levels [logger:]level[,…]"),
        flag("reset", "bool", "Set the default level", { short: "r" }),
        flag("selector", "string", "Labels that select pods", { short: "l" }),
        ADMIN_PORT,
        OUTPUT,
        FILE,
      ],
      run: async (call) =>
        await (await import("../../../lib/insight/proxies/mod.ts")).proxyLog(call),
    },
    part("secret", ["secrets", "s"], "Show secrets", COMMON),
    part("ecds", ["ec"], "Show filters that are discovered", COMMON),
    part("all", ["a"], "Show everything", [
      ...COMMON,
      ...[FQDN, DIRECTION, SUBSET, PORT, ADDRESS, TYPE, NAME, CLUSTER, STATUS],
      verbose("true"),
    ]),
    {
      name: "rootca-compare",
      aliases: ["rc"],
      summary: "Compare the trusted roots of two proxies",
      args: [
        { name: "pod-1[.namespace]", description: "A proxy" },
        { name: "pod-2[.namespace]", description: "Another proxy" },
      ],
      flags: XDS_FLAGS,
      run: async (call) =>
        await (await import("../../../lib/insight/proxies/mod.ts")).compareRoots(call),
    },
  ],
};
