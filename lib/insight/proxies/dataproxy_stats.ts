import { type Invocation, neutralText, usageError } from "../../kit/cli/mod.ts";
import { parseValue } from "../config_dump/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { withAdmins } from "./dump_source.ts";

/** Prints metrics of proxies, or the state of their clusters. */
export async function dataproxyStats(call: Invocation): Promise<number> {
  const { flags, io } = call;
  const form = flags.string("output");
  const path = pathOf(flags.string("type"), form);
  return await withAdmins(call, async (targets) => {
    for (const target of targets) {
      const text = await target.ask({ path });
      if (targets.length > 1) io.out(neutralText(`${target.name}:\n`));
      if (form === "yaml") io.out(neutralText(toYaml(parseValue(text, target.name))));
      else io.out(neutralText(text.endsWith("\n") ? text : `${text}\n`));
    }
    return 0;
  });
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
