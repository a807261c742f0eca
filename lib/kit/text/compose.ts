/**
 * The only use of the YAML library: text to syntax tree with positions.
 *
 * @module
 */
import {
  type Event,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from "js-yaml";
import { allSteps } from "../base/mod.ts";
import { indentFlowLines } from "./flow_lines.ts";
import type { YamlLimits } from "./limits.ts";
import { YamlFault } from "./yaml_fault.ts";

/** Common properties of nodes. Offsets are in the document's text. */
interface NodeBase {
  readonly offset: number;
  readonly anchor?: string;
  /** The written tag, such as `!!str`. */
  readonly tag?: string;
}

/** A scalar, quoted or not. */
export interface ScalarNode extends NodeBase {
  readonly kind: "scalar";
  readonly text: string;
  /** Neither quoted nor a block: its text may be a number, a boolean or null. */
  readonly plain: boolean;
  /** Its place; only if {@linkcode compose} was told to keep places. */
  readonly span?: ScalarSpan;
}

/** The characters of a scalar without its quotes, tag and anchor. */
export interface ScalarSpan {
  readonly start: number;
  readonly end: number;
  readonly style: "plain" | "single" | "double" | "literal" | "folded";
}

/** One entry of a map. */
export interface Pair {
  readonly key: Node;
  readonly value: Node;
}

/** A map, in the order written; keys may repeat. */
export interface MapNode extends NodeBase {
  readonly kind: "map";
  readonly pairs: Pair[];
}

/** A list. */
export interface SeqNode extends NodeBase {
  readonly kind: "seq";
  readonly items: Node[];
}

/** A reference to an anchor. */
export interface AliasNode extends NodeBase {
  readonly kind: "alias";
  readonly name: string;
}

/** A node of the tree. */
export type Node = ScalarNode | MapNode | SeqNode | AliasNode;

/**
 * The syntax tree of one document; `undefined` for an empty one.
 *
 * @param keepsSpans true: scalars have their places, except empty ones
 * @throws {YamlFault} for bad text.
 */
export function compose(
  text: string,
  limits: YamlLimits,
  keepsSpans: boolean = false,
): Node | undefined {
  return allSteps(composeInSteps(text, limits, keepsSpans));
}

/** {@linkcode compose} in two steps: events, and nodes from them. */
export function* composeInSteps(
  text: string,
  limits: YamlLimits,
  keepsSpans: boolean = false,
): Generator<undefined, Node | undefined> {
  const reader = { ...parse(protectColons(text), limits), at: 0, end: 0, keepsSpans };
  yield undefined;
  if (reader.events[0]?.type !== EVENT_ID.DOCUMENT) return undefined;
  reader.at = 1;
  return reader.events[1]?.type === EVENT_ID.POP ? undefined : readNode(reader);
}

interface Source {
  readonly text: string;
  /** A substitute for colons inside words; `""` when there is none. */
  readonly colon: string;
}

/** Events of a text, whose indentation may differ from the document's. */
interface Parsed extends Source {
  readonly events: readonly Event[];
  /** The offset in the document, for an offset in the text. */
  readonly original: (offset: number) => number;
}

interface Reader extends Parsed {
  at: number;
  /** End of the last node: the position of an empty node after it. */
  end: number;
  readonly keepsSpans: boolean;
}

/** A colon between a word and the end of an item in brackets. */
const TRAILING_COLON = /(?<=[^\s"'[{,\]}]):(?=[,\]}])/g;

/** First private-use character. */
const PRIVATE_USE = 0xe000;

/**
 * In `[2001:db8::]` the last colon belongs to the word for the orchestrator's tools, but newer YAML
 * sees a key. Such colons are replaced by a character that the text does not have, so that offsets
 * stay, and are restored in the result.
 */
function protectColons(text: string): Source {
  if (!/:[,\]}]/.test(text)) return { text, colon: "" };
  let code = PRIVATE_USE;
  while (text.includes(String.fromCharCode(code))) code++;
  const colon = String.fromCharCode(code);
  return { text: text.replace(TRAILING_COLON, colon), colon };
}

const SAME = (offset: number) => offset;

/** The library's reason for lines inside brackets and quotes that the orchestrator's tools accept. */
const DEFICIENT = "deficient indentation";

function parse(source: Source, limits: YamlLimits): Parsed {
  const events = tryEvents(source.text, limits);
  if (!(events instanceof YAMLException)) return { ...source, events, original: SAME };
  const indented = events.reason === DEFICIENT
    ? indentFlowLines(source.text, 2 * limits.documentLength)
    : undefined;
  if (indented === undefined) throw faultOf(events, limits, SAME);
  const { text, original } = indented;
  const second = tryEvents(text, limits);
  if (second instanceof YAMLException) throw faultOf(second, limits, original);
  return { text, colon: source.colon, events: second, original };
}

function tryEvents(text: string, limits: YamlLimits): readonly Event[] | YAMLException {
  try {
    // The exact bound is checked when values are built.
    return parseEvents(text, { maxDepth: limits.depth + 3 });
  } catch (error) {
    if (error instanceof YAMLException) return error;
    throw error;
  }
}

function faultOf(
  error: YAMLException,
  limits: YamlLimits,
  original: (offset: number) => number,
): YamlFault {
  const offset = original(error.mark?.position ?? 0);
  if (error.reason.startsWith("nesting")) return tooDeep(limits, offset);
  return new YamlFault(
    "yaml-syntax",
    error.reason,
    "Correct the YAML; indentation and quotes are the usual causes.",
    offset,
  );
}

/** The error of a document that is nested too deep. */
export function tooDeep(limits: YamlLimits, offset: number): YamlFault {
  return new YamlFault(
    "yaml-too-deep",
    `collections are nested more than ${limits.depth} deep`,
    "No kind nests so deep; look for repeated brackets or indentation.",
    offset,
  );
}

function readNode(reader: Reader): Node {
  const event = reader.events[reader.at++]!;
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return readScalar(reader, event);
    case EVENT_ID.ALIAS: {
      reader.end = event.anchorEnd;
      const name = reader.text.slice(event.anchorStart, event.anchorEnd);
      return { kind: "alias", name, offset: reader.original(event.anchorStart - 1) };
    }
    case EVENT_ID.SEQUENCE: {
      const items: Node[] = [];
      reader.end = event.start;
      while (reader.events[reader.at]!.type !== EVENT_ID.POP) items.push(readNode(reader));
      reader.at++;
      return { kind: "seq", items, ...properties(reader, event, event.start) };
    }
    case EVENT_ID.MAPPING: {
      const pairs: Pair[] = [];
      reader.end = event.start;
      while (reader.events[reader.at]!.type !== EVENT_ID.POP) {
        const key = readNode(reader);
        pairs.push({ key, value: readNode(reader) });
      }
      reader.at++;
      return { kind: "map", pairs, ...properties(reader, event, event.start) };
    }
    default:
      throw new Error(`event ${event.type} inside a document`);
  }
}

function readScalar(reader: Reader, event: ScalarEvent): ScalarNode {
  const { text, colon } = reader;
  const raw = event.fast
    ? text.slice(event.valueStart, event.valueEnd)
    : event.valueStart < 0
    ? ""
    : isBlock(event)
    ? blockValue(text, event)
    : getScalarValue(text, event);
  const plain = event.style === SCALAR_STYLE.PLAIN;
  const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED ||
    event.style === SCALAR_STYLE.DOUBLE_QUOTED;
  const start = event.valueStart < 0 ? reader.end : event.valueStart - (quoted ? 1 : 0);
  reader.end = Math.max(start, event.valueEnd + (quoted ? 1 : 0));
  return {
    kind: "scalar",
    text: colon === "" ? raw : raw.replaceAll(colon, ":"),
    plain,
    ...(reader.keepsSpans && event.valueStart >= 0 ? { span: spanOf(reader, event) } : undefined),
    ...properties(reader, event, start),
  };
}

const STYLES: Readonly<Record<number, ScalarSpan["style"]>> = {
  [SCALAR_STYLE.PLAIN]: "plain",
  [SCALAR_STYLE.SINGLE_QUOTED]: "single",
  [SCALAR_STYLE.DOUBLE_QUOTED]: "double",
  [SCALAR_STYLE.LITERAL_BLOCK]: "literal",
  [SCALAR_STYLE.FOLDED_BLOCK]: "folded",
};

function spanOf({ original }: Parsed, event: ScalarEvent): ScalarSpan {
  const [start, end] = [original(event.valueStart), original(event.valueEnd)];
  return { start, end, style: STYLES[event.style]! };
}

function isBlock({ style }: ScalarEvent): boolean {
  return style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
}

/** A block that ends with the text, without a line feed, does not get one, as in libyaml. */
function blockValue(text: string, event: ScalarEvent): string {
  const value = getScalarValue(text, event);
  const open = event.valueEnd >= text.length && !/[\r\n]$/.test(text);
  return open ? value.replace(/\n$/, "") : value;
}

/** Start of a node with its tag and anchor. */
function properties(
  { text, original }: Reader,
  event: { anchorStart: number; anchorEnd: number; tagStart: number; tagEnd: number },
  start: number,
): NodeBase {
  if (event.anchorStart < 0 && event.tagStart < 0) return { offset: original(start) };
  const anchor = event.anchorStart < 0 ? undefined : text.slice(event.anchorStart, event.anchorEnd);
  const tag = event.tagStart < 0 ? undefined : text.slice(event.tagStart, event.tagEnd);
  const begins = [start, event.anchorStart - 1, event.tagStart].filter((at) => at >= 0);
  return { offset: original(Math.min(...begins)), anchor, tag };
}
