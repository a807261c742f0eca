import { type Invocation, neutralText, usageError } from "../../kit/cli/mod.ts";
import { ask, askJson, openDaemons } from "../daemon_client/mod.ts";

/** Prints the answer of a debug query such as `syncz` or `config_dump?proxyID=a.b`. */
export async function internalDebug(call: Invocation): Promise<number> {
  const { flags, args: [given], io } = call;
  if (flags.bool("list")) {
    await using daemons = await openDaemons(call);
    const [daemon] = daemons.all;
    const paths = await askJson<{ readonly path?: string }[] | readonly string[]>(
      call,
      daemon,
      "list",
    );
    for (const path of paths) {
      io.out(neutralText(`${typeof path === "string" ? path : path.path ?? ""}\n`));
    }
    return 0;
  }
  if (given === undefined) {
    throw usageError(
      "internal-debug needs the name of a debug page",
      "For example: meshctl x internal-debug syncz. `--list` lists the pages.",
    );
  }
  await using daemons = await openDaemons(call);
  const isAll = flags.bool("all");
  if (isAll && daemons.cluster === undefined) {
    throw usageError("--all needs a cluster", "Leave out --xds-address, which names one daemon.");
  }
  const asked = isAll ? daemons.all : daemons.all.slice(0, 1);
  for (const daemon of asked) {
    const { text } = await ask(call, daemon, given.replace(/^\/?(debug\/)?/, ""));
    if (isAll && asked.length > 1) io.out(neutralText(`${daemon.name}:\n`));
    io.out(neutralText(text.endsWith("\n") ? text : `${text}\n`));
  }
  return 0;
}
