/**
 * Rewrites generated code: its descriptors become those of `lib/kit/proto/lazy.ts`, which are parsed on
 * first use.
 *
 * @module
 */

const LIBRARY = "@bufbuild/protobuf/codegenv2";

/**
 * Rewrites one generated module.
 *
 * @param path of the module below the folder of generated code, such as `google/rpc/status_pb.ts`
 * @throws Error if the module does not have the expected form
 */
export function withLazyDescriptors(text: string, path: string): string {
  const file = /^\/\/ @generated from file (\S+) /m.exec(text)?.[1];
  if (file === undefined) throw new Error(`gen: ${path} does not say which file it is from`);
  const lazy = "../".repeat(path.split("/").length) + "lazy.ts";
  const named = text
    .replace(
      /^(import \{[^}]*\} from )"([^"]+)";$/gm,
      (line, head, from) => from === LIBRARY ? `${head}"${lazy}";` : line,
    )
    .replace(/^ {2}fileDesc\(/gm, `  fileDesc("${file}", `)
    .replace(
      /Describes the (?:message|enum) (\S+)\.$(?:(?!Desc\()[^])*(?:message|enum)Desc\(\w+, /gm,
      (declaration, name) => `${declaration}"${name}", `,
    );
  // Declaring a type registers it with its file, so bundlers must keep the declaration.
  const kept = named.replaceAll(" /*@__PURE__*/", "");
  const unnamed = /\b(?:fileDesc\((?!")|(?:message|enum)Desc\(\w+, \d)/.exec(kept);
  if (unnamed !== null) throw new Error(`gen: ${path} declares something without its name`);
  return kept;
}
