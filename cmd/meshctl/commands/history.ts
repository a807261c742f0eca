import { type CommandSpec, usageError } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { DAEMON_FLAGS } from "./mesh_flags.ts";

export const history: CommandSpec = {
  name: "history",
  summary: "Show the changes of a daemon, and the one that broke a request",
  description:
    "Lists the latest publications of a daemon with the objects that were edited; with\n" +
    "--proxy, --since and --until the resources of a proxy that differ between two revisions; with\n" +
    "--from and --to the revisions at which a request got another outcome, from a daemon or from\n" +
    "a recording (--log, see MESH_INPUT_LOG).",
  examples: [
    "meshctl history",
    "meshctl history --daemon localhost:8080",
    "meshctl history --daemon localhost:8080 --proxy front.web --since 4 --until 9",
    "meshctl history --daemon localhost:8080 --from front.web --to http://items.example/items",
    "meshctl history --log input.log --from front.web --to http://items.example/items",
  ],
  flags: [
    flag("limit", "int", "Number of publications", { default: "20" }),
    flag("proxy", "string", "Proxy, NAME.NAMESPACE"),
    flag("since", "int", "First revision of a comparison"),
    flag("until", "int", "Last revision of a comparison"),
    flag("log", "string", "Recording of the input of a daemon", { complete: "file" }),
    flag("from", "string", "The proxy that the request passes first"),
    flag("to", "string", "URL of the request"),
    flag("method", "string", "HTTP method", { default: "GET" }),
    flag("header", "stringArray", "Header, NAME: VALUE; may be repeated"),
    ...DAEMON_FLAGS,
    outputFlag(["text", "json"], "text"),
  ],
  run: async (call) => {
    const history = await import("../../../lib/insight/questions/mod.ts");
    const { flags, io } = call;
    const output = flags.string("output");
    const [from, to] = [flags.string("from"), flags.string("to")];
    const isAsked = from !== "" && to !== "";
    const question = history.questionOf({
      ...{ from, to, method: flags.string("method"), headers: flags.list("header") },
    });
    if (flags.given.has("log")) {
      if (!isAsked) throw usageError("--log needs --from and --to");
      return await history.outcomesOfLog({ file: flags.string("log"), question, output }, io);
    }
    if (!isAsked && (from !== "" || to !== "")) {
      throw usageError("--from and --to belong together");
    }
    if (flags.number("limit") < 1) throw usageError("--limit must be at least 1");
    const isCompared = flags.given.has("proxy");
    if (isCompared && (!flags.given.has("since") || !flags.given.has("until"))) {
      throw usageError("--proxy needs --since and --until");
    }
    const { withDebugPages } = await import("../../../lib/insight/daemon_client/mod.ts");
    return await withDebugPages(call, async ({ read }) => {
      if (isAsked) return await history.outcomesOfDaemon(read, { question, output }, io);
      if (!isCompared) {
        return await history.latestRevisions(read, { limit: flags.number("limit"), output }, io);
      }
      return await history.comparedRevisions(read, {
        proxy: flags.string("proxy"),
        since: flags.number("since"),
        until: flags.number("until"),
        output,
      }, io);
    });
  },
};
