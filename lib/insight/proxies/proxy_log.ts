import { MeshError } from "../../kit/base/mod.ts";
import { dataError, type Invocation, neutralText, usageError } from "../../kit/cli/mod.ts";
import { type LevelChange, levelChanges, PROXY_LEVELS } from "../config_dump/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { type AdminTarget, withAdmins } from "./dump_source.ts";

/** The level of a proxy's loggers without setting. */
const DEFAULT_LEVEL = "warning";

/** Prints or changes the log levels of proxies. */
export async function proxyLog(call: Invocation): Promise<number> {
  const { flags, io } = call;
  const [level, reset] = [flags.string("level"), flags.bool("reset")];
  if (level !== "" && reset) throw usageError("--level and --reset exclude each other");
  const changes = reset
    ? [{ logger: "", level: DEFAULT_LEVEL }]
    : level === ""
    ? []
    : wantedChanges(level);
  return await withAdmins(call, async (targets) => {
    const texts: [name: string, text: string][] = [];
    for (const target of targets) texts.push([target.name, await applied(target, changes)]);
    const form = flags.string("output");
    if (form === "short") {
      for (const [name, text] of texts) io.out(neutralText(`${name}:\n${text}`));
    } else {
      const value = Object.fromEntries(texts.map(([name, text]) => [name, loggersOf(text)]));
      io.out(neutralText(form === "json" ? `${JSON.stringify(value, null, 4)}\n` : toYaml(value)));
    }
    return 0;
  });
}

/** Changes levels; all changes are checked before the first one is made. Returns the levels. */
async function applied(target: AdminTarget, changes: readonly LevelChange[]): Promise<string> {
  let text = await target.ask({ path: "logging", method: "POST" });
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
    text = await target.ask({ path, method: "POST" });
  }
  return text;
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
