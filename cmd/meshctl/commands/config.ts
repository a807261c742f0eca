import { type CommandSpec, type Invocation, tableText } from "../../../lib/kit/cli/mod.ts";
import { envText } from "../../../lib/kit/env/mod.ts";
import { SETTINGS } from "../settings.ts";

/** Defaults of the settings that have one. */
const DEFAULTS: Readonly<Record<string, string>> = {
  meshNamespace: "mesh-system",
  "xds-port": "15012",
  insecure: "false",
  plaintext: "false",
  "prefer-experimental": "false",
};

/** Prints each setting with its value and its origin: `$VARIABLE`, a file, or `default`. */
function configList({ io, configured }: Invocation): number {
  const rows = SETTINGS.map((name) => {
    const variable = `MESHCTL_${name.toUpperCase().replaceAll("-", "_")}`;
    const ofVariable = envText(variable) ?? "";
    const ofFile = configured.values.get(name);
    if (ofVariable !== "") return [name, ofVariable, `$${variable}`];
    if (ofFile !== undefined) return [name, ofFile, configured.file];
    return [name, DEFAULTS[name] ?? "", "default"];
  });
  io.out(tableText(["FLAG", "VALUE", "FROM"], rows));
  return 0;
}

/** `experimental config` and its sub-command. */
export const config: CommandSpec = {
  name: "config",
  summary: "Commands about the settings of meshctl",
  commands: [{
    name: "list",
    summary: "List settings and their origin",
    run: configList,
  }],
};
