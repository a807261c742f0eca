import { type Invocation, neutralText, usageError } from "../../lib/cli/mod.ts";
import { parseValue } from "../../lib/config_dump/mod.ts";
import { toYaml } from "../../lib/text/mod.ts";
import { admin, isUrl } from "./dump_source.ts";
import { warnOrchestratorFlags } from "./orchestrator_flags.ts";

/** Prints metrics of a proxy, or the state of its clusters. */
export async function dataproxyStats(call: Invocation): Promise<number> {
  const { flags, io } = call;
  const base = flags.string("file");
  warnOrchestratorFlags(flags, io);
  if (!isUrl(base)) {
    throw usageError(
      `${call.command} needs the admin interface of a proxy`,
      "Use --file with its URL, such as http://localhost:15000.",
    );
  }
  const form = flags.string("output");
  const path = pathOf(flags.string("type"), form);
  const text = await admin(call, { base, path });
  if (form === "yaml") io.out(neutralText(toYaml(parseValue(text, base))));
  else io.out(neutralText(text.endsWith("\n") ? text : `${text}\n`));
  return 0;
}

function pathOf(type: string, form: string): string {
  const json = form === "json" || form === "yaml";
  if (type === "clusters") {
    if (form === "prom" || form === "prom-merged") {
      throw usageError("--type clusters has no form for Prometheus", "Use short, json or yaml.");
    }
    return json ? "clusters?format=json" : "clusters";
  }
  return json ? "stats?format=json" : form === "short" ? "stats" : "stats/prometheus";
}
