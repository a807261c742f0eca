import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { MeshError } from "../../../lib/kit/base/mod.ts";

/** A command without its function: flags and help are there. */
export type Outline = Omit<CommandSpec, "run" | "commands">;

/**
 * A command that is described and not implemented: its flags are parsed, and it is refused with
 * status 1.
 *
 * @param remedy what to do instead
 */
export function notYet(outline: Outline, remedy: string = INSTALL_REMEDY): CommandSpec {
  return {
    ...outline,
    summary: `${outline.summary} (not supported yet)`,
    run: ({ command }) => {
      throw new MeshError("not-supported", `${command} is not supported yet`, { remedy });
    },
  };
}

/** The remedy of commands about installations and injection. */
const INSTALL_REMEDY =
  "Run the daemon and the agents as docs/quickstart.md describes; docs/status.md lists what is missing.";

/** The remedy of commands about the node proxy. */
export const AMBIENT_REMEDY =
  "Ambient capture is not implemented, so that there is no node proxy; docs/status.md has the state.";
