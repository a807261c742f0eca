import { type Invocation, tableText } from "../../kit/cli/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { namespacesOf, type TagCluster, tagsOf } from "./existing.ts";

/** Lists the tags with their revisions and the namespaces that follow them. */
export async function listTags(
  { flags, io }: Invocation,
  open: () => Promise<TagCluster>,
): Promise<number> {
  using cluster = await open();
  const tags = await tagsOf(cluster);
  const following = await namespacesOf(cluster);
  const rows = [...new Map(tags.map((one) => [`${one.tag} ${one.revision}`, one])).values()]
    .map(({ tag, revision }) => ({ tag, revision, namespaces: following(tag) }));
  const output = flags.string("output");
  if (output === "json") io.out(JSON.stringify(rows, undefined, 2) + "\n");
  else if (output === "yaml") io.out(toYaml(rows));
  else if (rows.length === 0) io.out("There are no revision tags.\n");
  else {
    const head = ["TAG", "REVISION", "NAMESPACES"];
    io.out(
      tableText(head, rows.map((row) => [row.tag, row.revision, row.namespaces.join(",")])),
    );
  }
  return 0;
}
