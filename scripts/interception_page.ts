/**
 * Writes the tables of `docs/interception.md` from the plan of the rules; `--check` only checks them.
 *
 * @module
 */
import { capturePage } from "../lib/node/capture/mod.ts";
import { fromFileUrl } from "./paths.ts";

export const PAGE: string = fromFileUrl(new URL("../docs/interception.md", import.meta.url));

/** The page with new tables: the text between `<!-- MODE -->` and `<!-- end of MODE -->`. */
export function withTables(page: string): string {
  let text = page;
  for (const mode of ["REDIRECT", "TPROXY"] as const) {
    const [begin, end] = [`<!-- ${mode} -->\n`, `<!-- end of ${mode} -->`];
    const [at, to] = [text.indexOf(begin), text.indexOf(end)];
    if (at < 0 || to < at) throw new Error(`docs/interception.md has no table for ${mode}`);
    text = `${text.slice(0, at + begin.length)}\n${capturePage(mode)}\n${text.slice(to)}`;
  }
  return text;
}

if (import.meta.main) {
  const page = await Deno.readTextFile(PAGE);
  const wanted = withTables(page);
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(PAGE, wanted);
  else if (page !== wanted) {
    console.error("docs/interception.md is out of date: run `deno task docs`");
    Deno.exit(1);
  }
}
