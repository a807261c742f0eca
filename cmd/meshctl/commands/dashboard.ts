import type { CommandSpec, FlagSpec } from "../../../lib/cli/mod.ts";
import { flag, REVISION } from "./flags.ts";
import { notYet } from "./not_yet.ts";
import { PROXY } from "./proxy.ts";

const COMMON: readonly FlagSpec[] = [
  flag("address", "string", "Address to listen on, an IP address or localhost", {
    default: "localhost",
  }),
  flag("port", "int", "Port to listen on, 0 for a free one", { short: "p" }),
  flag("browser", "bool", "Open a browser", { default: "true" }),
];
const uiPort = (preset: number) =>
  flag("ui-port", "int", "Port of the page in the pod", { default: String(preset) });
const SELECTOR = flag("selector", "string", "Labels that select pods", { short: "l" });

function addOn(name: string, port: number): CommandSpec {
  return notYet({
    name,
    summary: `Open the page of ${name[0]?.toUpperCase()}${name.slice(1)}`,
    flags: [...COMMON, uiPort(port)],
  });
}

/** `dashboard` and its sub-commands. */
export const dashboard: CommandSpec = {
  name: "dashboard",
  aliases: ["dash", "d"],
  summary: "Open pages of the mesh",
  flags: COMMON,
  commands: [
    addOn("prometheus", 9090),
    addOn("grafana", 3000),
    addOn("kiali", 20001),
    addOn("jaeger", 16686),
    addOn("zipkin", 9411),
    addOn("skywalking", 8080),
    ...["dataproxy", "proxy"].map((name) =>
      notYet({
        name,
        summary: "Open the admin page of a proxy",
        args: [PROXY],
        flags: [...COMMON, SELECTOR, uiPort(15000)],
      })
    ),
    notYet({
      name: "controlz",
      summary: "Open the introspection pages of the daemon",
      args: [PROXY],
      flags: [
        ...COMMON,
        SELECTOR,
        flag("ctrlz_port", "int", "Port of the introspection pages", { default: "9876" }),
        REVISION,
      ],
    }),
    notYet({
      name: "meshd-debug",
      summary: "Open the debug pages of the daemon",
      args: [PROXY],
      flags: [...COMMON, SELECTOR],
    }),
  ],
};
