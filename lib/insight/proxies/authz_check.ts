import { type Invocation, tableText } from "../../kit/cli/mod.ts";
import { authzTable } from "../config_dump/mod.ts";
import { dumpOf } from "./dump_source.ts";

/** Prints the authorization policies that a proxy enforces. */
export async function authzCheck(call: Invocation): Promise<number> {
  const { head, rows } = authzTable(await dumpOf(call));
  call.io.out(tableText(head, rows));
  if (rows.length === 0) call.io.err("No authorization policies: every request is allowed.\n");
  return 0;
}
