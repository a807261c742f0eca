import { type CommandSpec, usageError } from "../../../lib/kit/cli/mod.ts";
import { ADMIN_PORT, fileFlag, XDS_FLAGS } from "./flags.ts";
import { PROXY } from "./proxy.ts";

/** `authz`, which is a sub-command of `experimental`. */
export const authz: CommandSpec = {
  name: "authz",
  summary: "Experimental; use `meshctl experimental authz`",
  run: () => {
    throw usageError("authz is experimental", "Use `meshctl experimental authz`.");
  },
};

/** `experimental authz` and its sub-command. */
export const experimentalAuthz: CommandSpec = {
  name: "authz",
  summary: "Commands about authorization",
  commands: [{
    name: "check",
    summary: "Show the authorization policies that a proxy enforces",
    examples: ["meshctl x authz check web-1.shop", "meshctl x authz check -f config_dump.json"],
    args: [PROXY],
    flags: [
      fileFlag("Config dump of a proxy, - for standard input, or the URL of its admin page"),
      ADMIN_PORT,
      ...XDS_FLAGS,
    ],
    run: async (call) =>
      await (await import("../../../lib/insight/proxies/mod.ts")).authzCheck(call),
  }],
};
