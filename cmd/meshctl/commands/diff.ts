import { type CommandSpec, usageError } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { DAEMON_FLAGS, FILE_FLAGS } from "./mesh_flags.ts";

export const diff: CommandSpec = {
  name: "diff",
  summary: "Show the blast radius of a change before it is applied",
  description:
    "Compares the mesh of --config-dir, of the daemon (--daemon, --xds-address) with the proxies that\n" +
    "are connected, or the live cluster, with the same mesh and the documents of --filename:\n" +
    "proxies that are sent something, requests that are allowed or denied anew, routes that move.\n" +
    "The status is 79 for a change at or above --fail-on.",
  examples: [
    "meshctl diff -f change.yaml",
    "meshctl diff --daemon localhost:8080 -f change.yaml",
    "meshctl diff --config-dir config/ -f change/",
    "meshctl diff --config-dir config/ -f change.yaml -o markdown --fail-on denied",
    "meshctl diff --daemon localhost:8080 -f change.yaml --access-log access.log",
    "meshctl diff --config-dir config/ --remove VirtualService/shop/reviews",
  ],
  flags: [
    flag("filename", "stringSlice", "Files and directories with the objects to add or replace", {
      short: "f",
      complete: "file",
    }),
    flag("remove", "stringArray", "Object to remove, KIND/NAMESPACE/NAME; may be repeated"),
    flag("access-log", "stringArray", "Access log of a proxy, whose requests are tried, too", {
      complete: "file",
    }),
    flag("fail-on", "string", "What ends with status 79", {
      default: "never",
      choices: ["never", "denied", "allowed", "moved", "proxies"],
    }),
    ...FILE_FLAGS,
    ...DAEMON_FLAGS,
    outputFlag(["text", "json", "markdown"], "text"),
  ],
  run: async (call) => {
    const { diffDaemon, diffFiles, limitsOf, readNamedMesh } = await import(
      "../../../lib/insight/questions/mod.ts"
    );
    const { namesDaemon, withDebugPages } = await import(
      "../../../lib/insight/daemon_client/mod.ts"
    );
    const { flags, io, signal } = call;
    const [files, removals] = [flags.list("filename"), flags.list("remove")];
    if (files.length + removals.length === 0) {
      throw usageError("no change is named", "Give -f FILE or --remove KIND/NAMESPACE/NAME.");
    }
    const options = {
      ...{ files, removals, signal },
      accessLogs: flags.list("access-log"),
      namespace: flags.string("namespace"),
      failOn: flags.string("fail-on"),
      output: flags.string("output"),
    };
    const isOfFiles = flags.list("config-dir").length > 0;
    for (const name of ["daemon", "xds-address"]) {
      if (isOfFiles && flags.given.has(name)) {
        throw usageError(`--${name} and --config-dir exclude each other`);
      }
    }
    if (!isOfFiles && namesDaemon(flags)) {
      return await withDebugPages(call, (pages) => diffDaemon(pages, options, io));
    }
    const readMesh = () => readNamedMesh(call);
    return await diffFiles({ ...options, readMesh, limits: limitsOf(call) }, io);
  },
};
