import { STANDARD_FUNCTIONS, type TemplateFunctions } from "../../../kit/template/mod.ts";
import { COLLECTIONS } from "./collections.ts";
import { ENCODINGS } from "./encodings.ts";
import { LOGIC } from "./logic.ts";
import { REGEXES } from "./regexes.ts";
import { TEXTS } from "./texts.ts";

/** Functions of the evaluator that only templates of injection have. */
const INJECTION_ONLY: readonly string[] = [
  "fromJSON",
  "isset",
  "mergeMaps",
  "protoToJSON",
  "strdict",
  "structToJSON",
  "toJSON",
  "toJsonMap",
  "toLower",
  "toUpper",
];

/** Prefix of functions whose mistakes end rendering, which all do here. */
const MUST = [
  ...["mustAppend", "mustChunk", "mustCompact", "mustDeepCopy", "mustFirst", "mustFromJson"],
  ...["mustHas", "mustInitial", "mustLast", "mustMerge", "mustMergeOverwrite", "mustPrepend"],
  ...["mustPush", "mustRegexFind", "mustRegexFindAll", "mustRegexMatch", "mustRegexReplaceAll"],
  ...["mustRegexReplaceAllLiteral", "mustRegexSplit", "mustRest", "mustReverse", "mustSlice"],
  ...["mustToJson", "mustToPrettyJson", "mustToRawJson", "mustUniq", "mustWithout"],
];

/** Functions of charts; `include`, `tpl` and `lookup` belong to the rendering. */
export const CHART_FUNCTIONS: TemplateFunctions = chartFunctions();

function chartFunctions(): TemplateFunctions {
  const own = { ...LOGIC, ...TEXTS, ...REGEXES, ...COLLECTIONS, ...ENCODINGS };
  const functions = new Map([...STANDARD_FUNCTIONS, ...Object.entries(own)]);
  for (const name of INJECTION_ONLY) functions.delete(name);
  for (const name of MUST) {
    const plain = name[4]!.toLowerCase() + name.slice(5);
    functions.set(name, functions.get(plain)!);
  }
  return functions;
}
