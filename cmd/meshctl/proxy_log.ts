import { MeshError } from "../../lib/base/mod.ts";
import { dataError, type Invocation, neutralText, usageError } from "../../lib/cli/mod.ts";
import { type LevelChange, levelChanges, PROXY_LEVELS } from "../../lib/config_dump/mod.ts";
import { toYaml } from "../../lib/text/mod.ts";
import { admin, isUrl } from "./dump_source.ts";
import { warnOrchestratorFlags } from "./orchestrator_flags.ts";

/** The level of a proxy's loggers without setting. */
const DEFAULT_LEVEL = "warning";

/** Prints or changes the log levels of a proxy. */
export async function proxyLog(call: Invocation): Promise<number> {
  const { flags, io } = call;
  const base = flags.string("file");
  warnOrchestratorFlags(flags, io);
  if (!isUrl(base)) {
    throw usageError(
      `${call.command} needs the admin interface of a proxy`,
      "Use --file with its URL, such as http://localhost:15000.",
    );
  }
  const [level, reset] = [flags.string("level"), flags.bool("reset")];
  if (level !== "" && reset) throw usageError("--level and --reset exclude each other");
  const changes = reset
    ? [{ logger: "", level: DEFAULT_LEVEL }]
    : level === ""
    ? []
    : wantedChanges(level);
  // All changes are checked before the first one is made.
  let text = await admin(call, { base, path: "logging", method: "POST" });
  const known = loggersOf(text);
  for (const { logger } of changes) {
    if (logger !== "" && known[logger] === undefined) {
      throw new MeshError("logger-unknown", `the proxy has no logger ${logger}`, {
        remedy: `It has: ${Object.keys(known).join(", ")}.`,
      });
    }
  }
  for (const { logger, level } of changes) {
    const path = `logging?${logger === "" ? "level" : encodeURIComponent(logger)}=${level}`;
    text = await admin(call, { base, path, method: "POST" });
  }
  const form = flags.string("output");
  if (form === "short") io.out(neutralText(`${base}:\n${text}`));
  else {
    const value = { [base]: loggersOf(text) };
    io.out(form === "json" ? `${JSON.stringify(value, null, 4)}\n` : toYaml(value));
  }
  return 0;
}

function wantedChanges(text: string): readonly LevelChange[] {
  const { changes, fault } = levelChanges(text, PROXY_LEVELS);
  if (fault !== undefined) {
    throw usageError(fault, "For example: --level http:debug,rbac:trace or --level warning.");
  }
  return changes;
}

/** Levels by logger, of the answer of `/logging`. */
function loggersOf(text: string): Record<string, string> {
  const rows = [...text.matchAll(/^\s+([\w.-]+): (\w+)$/gm)];
  if (rows.length === 0) {
    throw dataError("the admin interface did not list its loggers", "Check the URL.");
  }
  return Object.fromEntries(rows.map(([, logger = "", level = ""]) => [logger, level]));
}
