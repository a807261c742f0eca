import { type Io, neutralText, tableText } from "../../kit/cli/mod.ts";
import type { Table } from "../config_dump/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";

/** Prints a value as JSON or YAML, or a table of it. */
export function print(io: Io, form: string, value: unknown, table: () => Table): void {
  if (form === "json") io.out(`${neutralText(JSON.stringify(value, null, 4))}\n`);
  else if (form === "yaml") io.out(neutralText(toYaml(value)));
  else {
    const { head, rows } = table();
    io.out(tableText(head, rows));
  }
}
