import { type Invocation, tableText } from "../../lib/kit/cli/mod.ts";
import { authzTable } from "../../lib/insight/config_dump/mod.ts";
import { dumpOf } from "./dump_source.ts";

/** Prints the authorization policies that a proxy enforces. */
export async function authzCheck(call: Invocation): Promise<number> {
  const { head, rows } = authzTable(await dumpOf(call));
  call.io.out(tableText(head, rows));
  if (rows.length === 0) call.io.err("No authorization policies: every request is allowed.\n");
  return 0;
}
