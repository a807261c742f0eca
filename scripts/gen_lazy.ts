/**
 * What is done to the code that the plugin of the protobuf library generates: its descriptors
 * become those of `lib/proto/lazy.ts`, which are read when they are first looked into.
 *
 * @module
 */

const LIBRARY = "@bufbuild/protobuf/codegenv2";

/**
 * Rewrites one generated module.
 *
 * @param path of the module below the folder of generated code, such as `google/rpc/status_pb.ts`
 * @throws Error if the module is not what the plugin was seen to write
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
  // Declaring a type puts it into its file, where others find it: bundlers must not leave it out.
  const kept = named.replaceAll(" /*@__PURE__*/", "");
  const unnamed = /\b(?:fileDesc\((?!")|(?:message|enum)Desc\(\w+, \d)/.exec(kept);
  if (unnamed !== null) throw new Error(`gen: ${path} declares something without its name`);
  return kept;
}
