/**
 * Descriptors that are parsed on first use. Generated code imports these functions instead of the
 * protobuf library's, which parse the descriptors of a file and its imports while modules load:
 * half a second for a thousand messages, of which a process may use ten.
 *
 * A descriptor is one object from the start, with kind and name, which is all that other files
 * need. When another property is used, the descriptors of its file (and no other) are parsed and
 * filled in.
 *
 * @module
 */
import type { DescFile, DescMessage, JsonValue, Message } from "@bufbuild/protobuf";
import {
  enumDesc as readEnum,
  extDesc as readExtension,
  fileDesc as readFile,
  type GenEnum,
  type GenExtension,
  type GenFile,
  type GenMessage,
  type GenService,
  type GenServiceMethods,
  messageDesc as readMessage,
  serviceDesc as readService,
} from "@bufbuild/protobuf/codegenv2";
import { nestedTypes } from "@bufbuild/protobuf/reflect";

type Path = [number, ...number[]];

/** A descriptor of any kind, writable. */
type Writable = Record<string, unknown>;

/** A file before it is parsed. */
interface Source {
  readonly data: string;
  readonly imports: readonly DescFile[];
  readonly file: DescFile;
  /** The file as its importers see it: names of types only. */
  readonly outline: DescFile;
  /** The placeholders of the file's types, and how each is found after parsing. */
  readonly types: [own: object, find: (file: DescFile) => object][];
}

/** Names of the parsed files. */
const READ = new Set<string>();

/** The parsed files, by name without `.proto`. */
export function filesRead(): string[] {
  return [...READ].sort();
}

const SOURCE = Symbol("source");

/** The sources of file descriptors. */
const SOURCES = new WeakMap<DescFile, Source>();

const TYPE = ["proto", "deprecated", "file", "toString"];
const LAZY_FILE = lazy(["proto", "deprecated", "edition", "dependencies", "toString"]);
const LAZY_MESSAGE = lazy([...TYPE, "parent", "name", "fields", "field", "oneofs", "members"]);
const LAZY_ENUM = lazy([...TYPE, "parent", "name", "open", "value", "values", "sharedPrefix"]);
const LAZY_SERVICE = lazy([...TYPE, "name", "typeName", "methods", "method"]);
const LAZY_EXTENSION = lazy(
  [...TYPE, "parent", "name", "typeName", "jsonName", "extendee", "number", "oneof", "presence"]
    .concat(["fieldKind", "listKind", "mapKind", "mapKey", "scalar", "message", "enum", "packed"])
    .concat(["delimitedEncoding", "longAsString", "utf8Validation", "getDefaultValue"]),
);

/** A prototype whose properties parse the object's file on first use. */
function lazy(keys: readonly string[]): object {
  const prototype = {};
  for (const key of keys) {
    Object.defineProperty(prototype, key, {
      get(this: Writable & { [SOURCE]: Source }): unknown {
        read(this[SOURCE]);
        return Object.hasOwn(this, key) ? this[key] : undefined;
      },
    });
  }
  return prototype;
}

/** A descriptor with its known properties; the others are filled in when its file is parsed. */
function standIn<T extends object>(prototype: object, source: Source, known: Writable): T {
  const own = Object.create(prototype, { [SOURCE]: { value: source } });
  return Object.assign(own, known) as T;
}

/**
 * The descriptor of a file.
 *
 * @param name of the file, with `.proto`
 * @param data base64 of its encoded `FileDescriptorProto`, without its imports
 */
export function fileDesc(name: string, data: string, imports: readonly DescFile[] = []): GenFile {
  const lists = { messages: [], enums: [], services: [] };
  const known = { kind: "file", name: name.replace(/\.proto$/, ""), ...lists, extensions: [] };
  const source = { data, imports, types: [] as Source["types"] } as Partial<Source>;
  const file = standIn<DescFile>(LAZY_FILE, source as Source, known);
  // The extended message is known after parsing only, and no file refers to an extension of
  // another.
  const outline = { ...known, extensions: [], proto: { name }, dependencies: [] };
  Object.assign(source, { file, outline: outline as unknown as DescFile });
  SOURCES.set(file, source as Source);
  return file;
}

/** The descriptor of a message; a path names the messages it is nested in. */
export function messageDesc<
  Shape extends Message,
  Opt extends { jsonType?: unknown; validType?: unknown } = {
    jsonType: undefined;
    validType: undefined;
  },
>(file: DescFile, typeName: string, ...path: Path): GenMessage<Shape, Opt> {
  const source = sourceOf(file);
  const lists = { nestedMessages: [], nestedEnums: [], nestedExtensions: [] };
  const own = standIn<GenMessage<Shape, Opt>>(LAZY_MESSAGE, source, {
    kind: "message",
    typeName,
    ...lists,
  });
  source.types.push([own, (read) => readMessage(read, ...path)]);
  const owner = ownerOf(source, path);
  (owner?.nestedMessages ?? file.messages as DescMessage[]).push(own);
  return own;
}

/** The descriptor of an enumeration; a path names the messages it is nested in. */
export function enumDesc<Shape extends number, Json extends JsonValue = JsonValue>(
  file: DescFile,
  typeName: string,
  ...path: Path
): GenEnum<Shape, Json> {
  const source = sourceOf(file);
  const own = standIn<GenEnum<Shape, Json>>(LAZY_ENUM, source, { kind: "enum", typeName });
  source.types.push([own, (read) => readEnum(read, ...path)]);
  const owner = ownerOf(source, path);
  (owner?.nestedEnums ?? file.enums as object[]).push(own);
  return own;
}

/** The descriptor of an extension. */
export function extDesc<Extendee extends Message, Value>(
  file: DescFile,
  ...path: Path
): GenExtension<Extendee, Value> {
  const source = sourceOf(file);
  const own = standIn<GenExtension<Extendee, Value>>(LAZY_EXTENSION, source, { kind: "extension" });
  source.types.push([own, (read) => readExtension(read, ...path)]);
  const owner = ownerOf(source, path);
  (owner?.nestedExtensions ?? file.extensions as object[]).push(own);
  return own;
}

/** The descriptor of a service. */
export function serviceDesc<T extends GenServiceMethods>(
  file: DescFile,
  ...path: Path
): GenService<T> {
  const source = sourceOf(file);
  const own = standIn<GenService<T>>(LAZY_SERVICE, source, { kind: "service" });
  source.types.push([own, (read) => readService(read, ...path)]);
  (file.services as object[]).push(own);
  return own;
}

function sourceOf(file: DescFile): Source {
  const source = SOURCES.get(file);
  if (source === undefined) throw new TypeError(`${file.name} was not generated as a lazy file`);
  return source;
}

/** The message that a type is nested in. Outer messages are declared first. */
function ownerOf({ file }: Source, path: Path): Record<Nesting, object[]> | undefined {
  let messages = file.messages;
  let owner: DescMessage | undefined;
  for (const index of path.slice(0, -1)) {
    owner = messages[index];
    messages = owner?.nestedMessages ?? [];
  }
  return owner as Record<Nesting, object[]> | undefined;
}

const NESTINGS = ["nestedMessages", "nestedEnums", "nestedExtensions"] as const;
type Nesting = typeof NESTINGS[number];

/** Properties that refer to other descriptors. */
const REFERENCES = ["file", "parent", "message", "enum", "extendee", "input", "output"];

/** Parses a file and fills in its placeholders. */
function read(source: Source): void {
  const imports = source.imports.map((file) => SOURCES.get(file)?.outline ?? file);
  const { file, types } = source;
  READ.add(file.name);
  const found = readFile(source.data, imports);
  const stands = new Map<unknown, unknown>(types.map(([own, find]) => [find(found), own]));
  stands.set(found, file);
  const stand = (desc: unknown): unknown => stands.get(desc) ?? desc;
  for (const type of [...nestedTypes(found)]) relink(type as unknown as Writable, stand);
  for (const [desc, own] of stands) fill(own as Writable, desc as Writable);
  for (const list of ["messages", "enums", "extensions", "services"] as const) {
    define(file as unknown as Writable, list, found[list].map(stand));
  }
  define(file as unknown as Writable, "dependencies", source.imports);
}

/** Makes a type and its parts refer to placeholders instead of parsed descriptors. */
function relink(type: Writable, stand: (desc: unknown) => unknown): void {
  const parts = ["fields", "oneofs", "values", "methods"].flatMap((key) => type[key] ?? []);
  for (const part of [type, ...parts as Writable[]]) {
    for (const key of REFERENCES) if (part[key] !== undefined) part[key] = stand(part[key]);
  }
  for (const key of NESTINGS) {
    if (type[key] !== undefined) type[key] = (type[key] as unknown[]).map(stand);
  }
}

function fill(own: Writable, found: Writable): void {
  for (const [key, value] of Object.entries(found)) define(own, key, value);
}

/** Defines a property, because the prototype's property cannot be assigned to. */
function define(own: Writable, key: string, value: unknown): void {
  Object.defineProperty(own, key, { value, writable: true, enumerable: true, configurable: true });
}
