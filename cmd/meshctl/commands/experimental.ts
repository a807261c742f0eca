import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { experimentalAuthz } from "./authz.ts";
import { checkInject } from "./check_inject.ts";
import { config } from "./config.ts";
import { dataproxyStats } from "./dataproxy_stats.ts";
import { describe } from "./describe.ts";
import { injector } from "./injector.ts";
import { internalDebug } from "./internal_debug.ts";
import { learnedScopes } from "./learned_scopes.ts";
import { metrics } from "./metrics.ts";
import { migrate } from "./migrate.ts";
import { precheck } from "./precheck.ts";
import { experimentalProxyStatus } from "./proxy_status.ts";
import { experimentalVersion } from "./version.ts";
import { wait } from "./wait.ts";
import { workload } from "./workload.ts";

/** `experimental` and its sub-commands. */
export const experimental: CommandSpec = {
  name: "experimental",
  aliases: ["x", "exp"],
  summary: "Commands that may change",
  commands: [
    experimentalAuthz,
    checkInject,
    config,
    describe,
    dataproxyStats,
    injector,
    internalDebug,
    learnedScopes,
    metrics,
    migrate,
    precheck,
    experimentalProxyStatus,
    experimentalVersion,
    wait,
    workload,
  ],
};
