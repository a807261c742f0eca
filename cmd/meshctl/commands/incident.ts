import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { DAEMON_FLAGS } from "./mesh_flags.ts";

/** From a request that failed to its cause. */
export const incident: CommandSpec = {
  name: "incident",
  summary: "Find the cause of a request that failed: object, edit, time, remedy",
  description:
    "Takes what was seen of a request: a curl command line, a line of an access log of the\n" +
    "mesh (text or JSON), or an id that a log has (--logs). Says which object decides it, which\n" +
    "edit made it so, who accepted the edit, since when, and what undoes it; and what is not known.\n" +
    "The status is 0 for a request that is allowed now, 1 for one that is denied, else 2.",
  examples: [
    "meshctl incident --from front.web 'curl -H \"x-user: a\" http://items.example/items'",
    "kubectl logs items-1 -c mesh-proxy | grep ' 403 ' | tail -1 | meshctl incident -",
    "meshctl incident 4bf92f3577b34da6a3ce929d0e0e4736 --logs proxy.log",
  ],
  args: [{ name: "evidence", description: "The command or line, or - for standard input" }],
  flags: [
    flag("from", "string", "First proxy of the request, NAME.NAMESPACE, if the line does not tell"),
    flag("logs", "string", "Access log in which the id is looked for, or - for standard input", {
      complete: "file",
    }),
    flag("jwks", "string", "Key set (JWKS) of the token's issuer, where proxies fetch it", {
      complete: "file",
    }),
    ...DAEMON_FLAGS,
    outputFlag(["text", "json"], "text"),
  ],
  run: async (call) => {
    const { withDebugPages } = await import("../../../lib/insight/daemon_client/mod.ts");
    const { askIncident, readGiven } = await import("../../../lib/insight/incident/mod.ts");
    const text = await readGiven(call);
    return await withDebugPages(call, (pages) => askIncident(call, text, pages));
  },
};
