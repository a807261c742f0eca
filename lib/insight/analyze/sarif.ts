/**
 * Messages as SARIF 2.1.0, the format of code hosts for results of static analysis (OASIS standard
 * sarif-v2.1.0).
 *
 * @module
 */
import { type Code, CODES, type Level } from "./codes.ts";
import { type Message, originOf } from "./message.ts";

const LEVELS: Readonly<Record<Level, string>> = {
  Error: "error",
  Warning: "warning",
  Info: "note",
};

/** The log with one run. */
export function sarifLog(messages: readonly Message[], version: string): unknown {
  const codes = [...new Set(messages.map(({ code }) => code))].sort();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: "meshctl analyze", version, rules: codes.map(ruleOf) } },
      columnKind: "utf16CodeUnits",
      results: messages.map((one) => resultOf(one, codes.indexOf(one.code))),
    }],
  };
}

function ruleOf(code: Code): unknown {
  const { name, level, text, reason, remedy } = CODES[code];
  return {
    id: code,
    name,
    shortDescription: { text: text === "{0}" ? name : text },
    fullDescription: { text: reason },
    help: { text: remedy },
    defaultConfiguration: { level: LEVELS[level] },
  };
}

function resultOf(
  { code, level, message, remedy, object, file, line, column }: Message,
  ruleIndex: number,
): unknown {
  const physicalLocation = {
    artifactLocation: { uri: uriOf(file) },
    region: { startLine: Math.max(line, 1), startColumn: Math.max(column, 1) },
  };
  const logicalLocations = object === undefined
    ? undefined
    : [{ fullyQualifiedName: originOf(object), kind: "object" }];
  return {
    ruleId: code,
    ruleIndex,
    level: LEVELS[level],
    message: { text: `${message}. ${remedy}` },
    locations: [{
      ...(file === "" ? {} : { physicalLocation }),
      ...(logicalLocations === undefined ? {} : { logicalLocations }),
    }],
  };
}

/** A path as a relative reference (RFC 3986, section 4.2). */
function uriOf(file: string): string {
  return file.split("/").map(encodeURIComponent).join("/");
}
