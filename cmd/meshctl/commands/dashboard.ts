import type { CommandSpec, FlagSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, REVISION } from "./flags.ts";
import { POD, PROXY } from "./proxy.ts";
import type { DashboardPage } from "../../../lib/insight/cluster_access/mod.ts";

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

/** A command that opens a page. */
function opening(
  outline: Omit<CommandSpec, "run">,
  page: DashboardPage,
): CommandSpec {
  return {
    ...outline,
    run: async (call) =>
      await (await import("../../../lib/insight/cluster_access/mod.ts")).showDashboard(call, page),
  };
}

/** The page of another program in the namespace of the mesh. */
function addOn(
  { name, port, labels, path }: AddOn,
): CommandSpec {
  const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  return opening({
    name,
    summary: `Open the page of ${title}`,
    examples: [`meshctl dashboard ${name}`],
    flags: [...COMMON, uiPort(port)],
  }, { title, labels, port: "ui-port", ...path !== undefined && { path } });
}

interface AddOn {
  readonly name: string;
  readonly port: number;
  readonly labels: string;
  readonly path?: string;
}

/** The programs that have a page (G41 of the interface). */
const ADD_ONS: readonly AddOn[] = [
  { name: "prometheus", port: 9090, labels: "app.kubernetes.io/name=prometheus" },
  { name: "grafana", port: 3000, labels: "app.kubernetes.io/name=grafana" },
  { name: "kiali", port: 20_001, labels: "app=kiali", path: "/kiali" },
  { name: "jaeger", port: 16_686, labels: "app=jaeger" },
  { name: "zipkin", port: 9411, labels: "app=zipkin" },
  { name: "skywalking", port: 8080, labels: "app=skywalking-ui" },
];

/** `dashboard` and its sub-commands. */
export const dashboard: CommandSpec = {
  name: "dashboard",
  aliases: ["dash", "d"],
  summary: "Open pages of the mesh",
  description:
    "Forwards a local port to a page in the cluster, prints its URL and opens a browser,\n" +
    "until it is interrupted.",
  examples: [
    "meshctl dashboard meshd-debug --selector app=meshd",
    "meshctl dashboard dataproxy web-1.shop --browser=false",
  ],
  flags: COMMON,
  commands: [
    ...ADD_ONS.map(addOn),
    ...["dataproxy", "proxy"].map((name) =>
      opening({
        name,
        summary: "Open the admin page of a proxy",
        examples: [`meshctl dashboard ${name} web-1.shop`],
        args: [PROXY],
        flags: [...COMMON, SELECTOR, uiPort(15000)],
      }, { title: name, port: "ui-port" })
    ),
    opening({
      name: "controlz",
      summary: "Open the introspection pages of the daemon",
      examples: ["meshctl dashboard controlz --selector app=meshd"],
      args: [POD],
      flags: [
        ...COMMON,
        SELECTOR,
        flag("ctrlz_port", "int", "Port of the introspection pages", { default: "9876" }),
        REVISION,
      ],
    }, { title: "meshd", ofMesh: true, port: "ctrlz_port" }),
    opening({
      name: "meshd-debug",
      summary: "Open the debug pages of the daemon",
      examples: ["meshctl dashboard meshd-debug --selector app=meshd"],
      args: [POD],
      flags: [...COMMON, SELECTOR],
    }, { title: "meshd", ofMesh: true, port: 15_014, path: "/debug" }),
  ],
};
