/**
 * The pages of the reference: one for each kind, and an index.
 *
 * @module
 */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  ScalarType,
} from "../../lib/kit/proto/mod.ts";
import type { EffectiveFields, KindName } from "../../lib/mesh/schema/mod.ts";
import type { Comments } from "./comments.ts";
import { type DescribedMessage, describedMessages, type FieldEffect, isOwn } from "./effect.ts";

/** A kind or configuration file that has a page. */
export interface Subject {
  readonly title: string;
  /** Absent for configuration files. */
  readonly names?: KindName;
  readonly schema: DescMessage;
  readonly effective: EffectiveFields;
  /** True: only metadata is used. */
  readonly isMetadataOnly?: boolean;
  /** A sentence about the document, before the tables. */
  readonly intro: string;
  readonly example: string;
  /** Built-in values as JSON, by message and field. */
  readonly defaults: Defaults;
}

/** Built-in values: names of messages → JSON names of fields → values. */
export type Defaults = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Text at the top of each page. */
const HEADER =
  "<!-- Made by `deno task docs` from the protos and the table of kinds; do not edit. -->";

export function subjectPage(subject: Subject, comments: Comments): string {
  const { title, names, schema, effective, isMetadataOnly } = subject;
  const messages = isMetadataOnly ? [] : describedMessages(schema, effective);
  const known = new Set(messages.map((one) => one.schema.typeName));
  const context = { comments, known, defaults: subject.defaults };
  const about = comments.get(schema.typeName) ?? "";
  const versions = names?.versions.map((v) =>
    `\`${names.group === "" ? v : `${names.group}/${v}`}\``
  );
  const parts = [
    HEADER,
    `# ${title}`,
    [about, subject.intro].filter((text) => text !== "").join("\n\n"),
    ...(versions === undefined ? [] : [
      `\`apiVersion\`: ${versions.join(", ")}. ` +
      (names!.scope === "cluster" ? "It has no namespace." : "It belongs to a namespace."),
    ]),
    `## Example\n\n\`\`\`yaml\n${subject.example.trimEnd()}\n\`\`\``,
    ...messages.map((message, at) => messageSection(message, at === 0, context)),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

export function indexPage(
  subjects: readonly Subject[],
  unsupported: readonly KindName[],
  comments: Comments,
): string {
  const rows = subjects.map(({ title, names, schema, intro }) => {
    const group = names === undefined ? "file" : names.group === "" ? "core" : names.group;
    const about = cell(firstSentence(comments.get(schema.typeName) ?? intro));
    return `| [${title}](${title}.md) | ${group} | ${about} |`;
  });
  const missing = unsupported.map(({ kind, group }) => `- ${kind} of \`${group}\``);
  return `${HEADER}

# Reference

One page for each kind of document, with its fields, their types and effects, and an example. Field
names are those of YAML. The default is the value that Mesh uses for an absent field; the description
names defaults of the proxy. A document that sets a field without effect gets a warning. \`meshctl
validate\` checks documents.

| Kind | Group | Purpose |
| ---- | ----- | ------- |
${rows.join("\n")}

## Not supported

Documents of these kinds are rejected, or ignored with a warning if the group belongs to the
orchestrator:

${missing.join("\n")}
`;
}

interface Context {
  readonly comments: Comments;
  /** Messages that have a section on the page. */
  readonly known: ReadonlySet<string>;
  readonly defaults: Defaults;
}

function messageSection(
  { schema, fields }: DescribedMessage,
  isRoot: boolean,
  context: Context,
): string {
  const heading = isRoot ? "## Fields" : `## ${localName(schema)}`;
  const about = isRoot ? "" : context.comments.get(schema.typeName) ?? "";
  const defaults = schema.fields.map((field) => defaultText(defaultOf(field, context)));
  const hasDefaults = defaults.some((text) => text !== "");
  const head = ["Field", "Type", ...(hasDefaults ? ["Default"] : []), "Effect", "Description"];
  const rows = schema.fields.map((field, at) => [
    `\`${field.jsonName}\``,
    typeText(field, context),
    ...(hasDefaults ? [defaults[at]!] : []),
    effectText(fields.get(field.jsonName)!),
    cell(descriptionOf(field, context)),
  ]);
  const lines = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return [heading, about, lines.join("\n")].filter((part) => part !== "").join("\n\n");
}

function descriptionOf(field: DescField, { comments }: Context): string {
  const own = comments.get(`${field.parent.typeName}.${field.name}`) ?? "";
  const group = field.oneof === undefined
    ? ""
    : `One of ${field.oneof.fields.map((one) => `\`${one.jsonName}\``).join(", ")}.`;
  const values = field.enum === undefined ? "" : enumText(field.enum, comments);
  return [own, group, values].filter((text) => text !== "").join(" ");
}

function enumText(schema: DescEnum, comments: Comments): string {
  const values = schema.values.map((value, at) => {
    const about = comments.get(`${schema.typeName}.${value.name}`);
    const name = `\`${value.name}\`${at === 0 ? " (default)" : ""}`;
    return about === undefined ? name : `${name}: ${about.replace(/\.$/, "")}`;
  });
  return `Values: ${values.join("; ")}.`;
}

const SCALARS: Readonly<Record<string, string>> = {
  string: "text",
  bool: "true or false",
  bytes: "base64",
  double: "number",
  float: "number",
};

/** Messages of the protobuf library, as they are written in YAML. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  "google.protobuf.Duration": "duration",
  "google.protobuf.Timestamp": "time",
  "google.protobuf.Struct": "object",
  "google.protobuf.Value": "any value",
  "google.protobuf.BoolValue": "true or false",
  "google.protobuf.StringValue": "text",
  "google.protobuf.DoubleValue": "number",
  "google.protobuf.FloatValue": "number",
};

function typeText(field: DescField, context: Context): string {
  const one = field.message !== undefined
    ? messageText(field.message, context)
    : field.enum !== undefined
    ? "value"
    : scalarText(field.scalar!);
  if (field.fieldKind === "list") return `list of ${one}`;
  return field.fieldKind === "map" ? `map of ${one}` : one;
}

function scalarText(scalar: ScalarType): string {
  const name = ScalarType[scalar].toLowerCase();
  return SCALARS[name] ?? "whole number";
}

function messageText(schema: DescMessage, { known }: Context): string {
  if (!isOwn(schema)) {
    return WELL_KNOWN[schema.typeName] ??
      (/Int\d+Value$/.test(schema.typeName) ? "whole number" : `\`${schema.typeName}\``);
  }
  const name = localName(schema);
  return known.has(schema.typeName) ? `[${name}](#${anchor(name)})` : `\`${name}\``;
}

function effectText({ effective, ineffective, values }: FieldEffect): string {
  const except = values.length === 0 ? "" : `, but not ${values.map((v) => `\`${v}\``).join(", ")}`;
  if (ineffective.length === 0) return `yes${except}`;
  if (effective.length === 0) return "none";
  const [few, lead] = effective.length <= ineffective.length
    ? [effective, "only at"]
    : [ineffective, "yes, but not at"];
  const more = few.length > 3 ? " and others" : "";
  return `${lead} ${few.slice(0, 3).map((path) => `\`${path}\``).join(", ")}${more}${except}`;
}

/**
 * The value that an absent field has: a built-in one, `false`, or the first of an enum. `undefined`:
 * none, also if the first value of the enum is not a setting.
 */
function defaultOf(field: DescField, { comments, defaults }: Context): unknown {
  const builtIn = defaults[field.parent.typeName]?.[field.jsonName];
  if (builtIn !== undefined || field.fieldKind === "list" || field.fieldKind === "map") {
    return builtIn;
  }
  // Fields of a oneof have no value if they are absent.
  if (field.oneof !== undefined) return undefined;
  if (field.scalar === ScalarType.BOOL) return false;
  const first = field.enum?.values[0];
  if (first === undefined) return undefined;
  return comments.get(`${field.enum!.typeName}.${first.name}`)?.startsWith("Not set")
    ? undefined
    : first.name;
}

function defaultText(value: unknown): string {
  if (value === undefined) return "";
  const text = JSON.stringify(value);
  return text.length > 60 ? "set" : `\`${text.replaceAll("|", "\\|")}\``;
}

/** The name of a message within its package: `HTTPFaultInjection.Delay`. */
function localName(schema: DescMessage): string {
  return schema.typeName.replace(/^[a-z0-9_.]+\.(?=[A-Z])/, "");
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(/[^\w-]/g, "");
}

/** The first sentence of a comment, without a list after a colon. */
function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, ".") ?? text;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
