/**
 * The corpus `analyzers`: resources to the messages of an analyzer.
 *
 * @module
 */
import {
  analyzeFileSet,
  analyzerList,
  type FileSet,
  type Message,
  messageOfProblem,
} from "../../lib/insight/analyze/mod.ts";
import { parseYaml } from "../../lib/kit/text/mod.ts";
import { certificateFault } from "../../lib/kit/pki/mod.ts";
import {
  defaultMeshConfig,
  eachDocument,
  type ParsedDocument,
  parseMeshConfig,
  type SeenDocument,
} from "../../lib/mesh/schema/mod.ts";
import type { ConfigObject } from "../../lib/mesh/model/mod.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";

interface AnalyzerCase extends Case {
  /** The analyzer that the case is about. */
  readonly analyzer: string;
  /** Codes that are compared. */
  readonly scope: readonly string[];
  readonly options: { readonly meshConfigFile?: string; readonly meshNetworksFile?: string };
  readonly expected: { readonly messages: readonly ExpectedMessage[] };
}

interface ExpectedMessage {
  readonly code: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly resource: string;
}

/**
 * Compares code and object of the messages that the analyzer of a case gives, as multisets; equal
 * messages count once.
 */
export const ANALYZERS: Corpus<AnalyzerCase> = {
  name: "analyzers",
  judge: (one, read) => {
    const found = messagesOf(one, read).filter(({ code }) => one.scope.includes(code))
      .map(({ code, object }) => idOf(code, object?.kind, object?.namespace, object?.name));
    const wanted = one.expected.messages.map(({ code, kind, namespace, resource }) =>
      idOf(code, kind, namespace, resource)
    );
    const [surplus, missing] = [without(found, wanted), without(wanted, found)];
    if (surplus.length + missing.length === 0) return undefined;
    return `missing: ${missing.join(", ") || "none"}; not expected: ${
      surplus.join(", ") || "none"
    }`;
  },
};

function idOf(code: string, kind = "", namespace: string | null = "", name = ""): string {
  return `${code} ${kind} ${namespace || "default"}/${name}`;
}

function without(list: readonly string[], others: readonly string[]): string[] {
  const rest = [...others];
  return list.filter((one) => {
    const at = rest.indexOf(one);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** The prefix of the name of an analyzer that validates the objects of a kind. */
const SCHEMA = "schema.ValidationAnalyzer.";

function nameOf(analyzer: string): string {
  return analyzer.replace(/^schema\.CollectionValidationAnalyzer\./, "");
}

/** The analyzer of a case by its own name; `undefined`, which runs all, if no analyzer has it. */
function namesOf(analyzer: string): readonly string[] | undefined {
  const name = nameOf(analyzer);
  return name.startsWith(SCHEMA) || analyzerList().includes(`* ${name}:\n`) ? [name] : undefined;
}

/** The messages of the validation of documents, if the analyzer of a case is about their kind. */
function schemaMessages(analyzer: string, documents: readonly ParsedDocument[]): Message[] {
  const name = nameOf(analyzer);
  if (!name.startsWith(SCHEMA)) return [];
  const kind = name.slice(SCHEMA.length);
  const seen = new Set<string>();
  return documents.flatMap(({ problems, warnings }) => [
    ...problems.map((one) => messageOfProblem(one, true)),
    ...warnings.filter(({ code }) => code !== "unreachable")
      .map((one) => messageOfProblem(one, false)),
  ]).filter(({ object, code, message }) => {
    const id = JSON.stringify([code, object, message]);
    return object?.kind === kind && !seen.has(id) && seen.add(id) !== undefined;
  });
}

/** The networks of a case as a document. */
function networksDocument(file: string | undefined, read: ReadFile): SeenDocument[] {
  if (file === undefined) return [];
  const content = parseYaml(read(file)) as object;
  const metadata = { name: "meshnetworks", namespace: "mesh-system" };
  const value = { apiVersion: "mesh.io/v1", kind: "MeshNetworks", metadata, ...content };
  return [{ value, file, line: 1 }];
}

function messagesOf(
  { inputs, options: { meshConfigFile, meshNetworksFile }, analyzer }: AnalyzerCase,
  read: ReadFile,
): readonly Message[] {
  const files = readFiles(inputs, read);
  return [
    ...schemaMessages(analyzer, files.documents),
    ...analyzed({ ...files, seen: [...files.seen, ...networksDocument(meshNetworksFile, read)] }, {
      mesh: meshConfigFile === undefined
        ? undefined
        : parseMeshConfig(read(meshConfigFile), meshConfigFile).value,
      analyzers: namesOf(analyzer),
    }),
  ];
}

/** The messages of all analyzers about files. */
export function messagesAbout(inputs: readonly string[], read: ReadFile): readonly Message[] {
  return analyzed(readFiles(inputs, read), {});
}

interface ReadFiles {
  readonly objects: readonly ConfigObject[];
  readonly seen: readonly SeenDocument[];
  readonly documents: readonly ParsedDocument[];
}

function readFiles(inputs: readonly string[], read: ReadFile): ReadFiles {
  const seen: SeenDocument[] = [];
  const objects: ConfigObject[] = [];
  const all: ParsedDocument[] = [];
  for (const file of inputs) {
    const documents = [
      ...eachDocument(read(file), file, undefined, { seen: (one) => seen.push(one) }),
    ];
    all.push(...documents);
    for (const { object } of documents) {
      if (object === undefined) continue;
      const { kind, meta: { line, creationTime = 0, ...rest }, spec, digest } = object;
      const meta = { kind, ...rest, creationTime, generation: 1 };
      objects.push({ meta: { ...meta, origin: { source: "file", file, line } }, spec, digest });
    }
  }
  return { objects, seen, documents: all };
}

function analyzed(
  { objects, seen }: Pick<ReadFiles, "objects" | "seen">,
  { mesh = defaultMeshConfig(), analyzers }: Partial<Pick<FileSet, "mesh" | "analyzers">>,
): readonly Message[] {
  return analyzeFileSet({
    ...{ objects, seen, mesh, analyzers },
    meshNamespace: "mesh-system",
    domain: "cluster.local",
    assumeGateway: true,
    all: true,
    certificateFault: (pem) => certificateFault(pem, Date.now()),
    now: () => performance.now(),
  });
}
