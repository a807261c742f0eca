/**
 * Commands that the interface has and meshctl does not implement. Each is refused by its name,
 * whatever flags follow; none is treated as a misspelling.
 *
 * @module
 */
import { EXIT_FAILURE, type FlagSpec, type Io, type ProgramSpec } from "../../lib/cli/mod.ts";

/** A command that is not implemented, with its subcommands. */
interface UnsupportedCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly subcommands?: readonly UnsupportedCommand[];
}

const named = (...names: readonly string[]): UnsupportedCommand => ({
  name: names[0] ?? "",
  aliases: names.slice(1),
});
const group = (
  names: readonly string[],
  ...subcommands: readonly UnsupportedCommand[]
): UnsupportedCommand => ({
  ...named(...names),
  subcommands,
});

const PROXY_CONFIG = group(
  ["proxy-config", "pc"],
  named("cluster", "clusters", "c"),
  named("listener", "listeners", "l"),
  named("route", "routes", "r"),
  named("endpoint", "endpoints", "ep"),
  named("eds"),
  named("bootstrap", "b"),
  named("log", "o"),
  named("secret", "secrets", "s"),
  named("ecds", "ec"),
  named("all", "a"),
  named("rootca-compare", "rc"),
);

const EXPERIMENTAL = group(
  ["experimental", "x", "exp"],
  group(["authz"], named("check")),
  named("check-inject", "inject-check", "chk-inj"),
  group(["config"], named("list")),
  group(["describe", "des"], named("pod"), named("service", "svc")),
  named("dataproxy-stats", "envoy-stats", "ds", "es"),
  group(["injector"], named("list", "l")),
  named("internal-debug", "iD"),
  named("metrics", "m"),
  named("precheck"),
  named("proxy-status", "ps"),
  named("version"),
  group(
    ["workload"],
    group(["group"], named("create")),
    group(["entry"], named("configure")),
  ),
);

/** The table. */
export const UNSUPPORTED: readonly UnsupportedCommand[] = [
  group(["admin", "meshd"], named("log", "l")),
  named("analyze"),
  named("authz"),
  group(["bug-report"], named("version")),
  named("create-remote-secret"),
  group(
    ["dashboard", "dash", "d"],
    ...[
      "controlz",
      "dataproxy",
      "grafana",
      "jaeger",
      "kiali",
      "meshd-debug",
      "prometheus",
      "proxy",
      "skywalking",
      "zipkin",
    ].map((name) => named(name)),
  ),
  EXPERIMENTAL,
  named("install", "apply"),
  group(["manifest"], named("generate"), named("install", "apply"), named("translate")),
  named("options"),
  named("orch-inject", "kube-inject"),
  PROXY_CONFIG,
  named("proxy-status", "ps"),
  named("remote-clusters"),
  group(
    ["tag"],
    named("generate"),
    named("set"),
    named("list", "show"),
    named("remove", "delete"),
  ),
  named("uninstall"),
  named("upgrade"),
  group(
    ["waypoint"],
    named("apply"),
    named("generate"),
    named("delete"),
    named("list"),
    named("status"),
  ),
  group(
    ["ztunnel-config", "zc"],
    named("all"),
    named("certificate", "certificates", "certs", "cert"),
    named("connections", "cons"),
    named("log", "o"),
    named("policy", "policies", "p", "pol"),
    named("service", "services", "s", "svc"),
    named("workload", "workloads", "w"),
  ),
];

/** The full name of the unsupported command on a command line; `undefined` when there is none. */
export function unsupportedCommand(
  globalFlags: readonly FlagSpec[],
  argv: readonly string[],
): string | undefined {
  const found: string[] = [];
  let level: readonly UnsupportedCommand[] = UNSUPPORTED;
  for (const word of bareWords(globalFlags, argv)) {
    const command = level.find(({ name, aliases }) => name === word || aliases?.includes(word));
    if (command === undefined) break;
    found.push(command.name);
    level = command.subcommands ?? [];
  }
  return found.length === 0 ? undefined : found.join(" ");
}

/** Words that are neither flags nor values of global flags. */
function* bareWords(flags: readonly FlagSpec[], argv: readonly string[]): Generator<string> {
  for (let at = argv[0] === "help" ? 1 : 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") return;
    if (!word.startsWith("-")) yield word;
    const flag = flags.find(({ name, short }) => word === `--${name}` || word === `-${short}`);
    if (flag !== undefined && flag.type !== "bool") at++;
  }
}

/** Refuses an unsupported command and returns the exit status; `undefined` for other commands. */
export function refuseUnsupported(
  program: ProgramSpec,
  argv: readonly string[],
  io: Io,
): number | undefined {
  const command = unsupportedCommand(program.globalFlags, argv);
  if (command === undefined) return undefined;
  io.err(
    `Error: ${program.name} ${command} is not supported\n` +
      `Run '${program.name} --help' for the supported commands.\n`,
  );
  return EXIT_FAILURE;
}
