import { completionCommand, type ProgramSpec } from "../../lib/kit/cli/mod.ts";
import { admin } from "./commands/admin.ts";
import { analyze } from "./commands/analyze.ts";
import { authz } from "./commands/authz.ts";
import { bugReport } from "./commands/bug_report.ts";
import { dashboard } from "./commands/dashboard.ts";
import { diff } from "./commands/diff.ts";
import { experimental } from "./commands/experimental.ts";
import { history } from "./commands/history.ts";
import { explain } from "./commands/explain.ts";
import { incident } from "./commands/incident.ts";
import { install, uninstall, upgrade } from "./commands/install.ts";
import { manifest } from "./commands/manifest.ts";
import { options } from "./commands/options.ts";
import { orchInject } from "./commands/orch_inject.ts";
import { profile } from "./commands/profile.ts";
import { proxyConfig } from "./commands/proxy_config.ts";
import { proxyStatus } from "./commands/proxy_status.ts";
import { served } from "./commands/served.ts";
import { remoteClusters } from "./commands/remote_clusters.ts";
import { createRemoteSecret } from "./commands/remote_secret.ts";
import { tag } from "./commands/tag.ts";
import { test } from "./commands/test.ts";
import { validate } from "./commands/validate.ts";
import { version } from "./commands/version.ts";
import { waypoint } from "./commands/waypoint.ts";
import { ztunnelConfig } from "./commands/ztunnel.ts";
import { GLOBAL_FLAGS } from "./global_flags.ts";

/**
 * The command line of the operator's tool. A command is a file of `commands/` that exports its
 * table; `run` imports the rooms that it needs when it is called, so that the program starts fast.
 */
export const MESHCTL: ProgramSpec = {
  name: "meshctl",
  summary: "Mesh control interface",
  description:
    "The operator's tool of the mesh: checks configuration before it is applied, shows\n" +
    "what proxies have and how far they follow, and explains why a request goes where it goes.",
  globalFlags: GLOBAL_FLAGS,
  commands: [
    admin,
    analyze,
    authz,
    bugReport,
    completionCommand("meshctl"),
    createRemoteSecret,
    dashboard,
    diff,
    experimental,
    explain,
    history,
    incident,
    install,
    manifest,
    options,
    orchInject,
    profile,
    proxyConfig,
    proxyStatus,
    remoteClusters,
    served,
    tag,
    test,
    uninstall,
    upgrade,
    validate,
    version,
    waypoint,
    ztunnelConfig,
  ],
};

/** The program in which commands have their experimental form where there is one. */
export function preferExperimental(program: ProgramSpec): ProgramSpec {
  const forms = new Map(experimental.commands?.map((command) => [command.name, command]));
  return {
    ...program,
    commands: program.commands?.map((command) => forms.get(command.name) ?? command),
  };
}
