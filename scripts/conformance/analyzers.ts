/**
 * The corpus `analyzers`: resources to the messages of an analyzer.
 *
 * @module
 */
import { analyzeFileSet, analyzerList, type Message } from "../../lib/insight/analyze/mod.ts";
import { certificateFault } from "../../lib/kit/pki/mod.ts";
import {
  defaultMeshConfig,
  eachDocument,
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
  readonly options: { readonly meshConfigFile?: string };
  readonly expected: { readonly messages: readonly ExpectedMessage[] };
}

interface ExpectedMessage {
  readonly code: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly resource: string;
}

/** Compares code and object of the messages, as multisets. */
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

/** The analyzer of a case by its own name; `undefined`, which runs all, if no analyzer has it. */
function namesOf(analyzer: string): readonly string[] | undefined {
  const name = analyzer.replace(/^schema\.CollectionValidationAnalyzer\./, "");
  return analyzerList().includes(`* ${name}:\n`) ? [name] : undefined;
}

function messagesOf(
  { inputs, options, analyzer }: AnalyzerCase,
  read: ReadFile,
): readonly Message[] {
  const seen: SeenDocument[] = [];
  const objects: ConfigObject[] = [];
  for (const file of inputs) {
    const documents = eachDocument(read(file), file, undefined, { seen: (one) => seen.push(one) });
    for (const { object } of documents) {
      if (object === undefined) continue;
      const { kind, meta: { line, creationTime = 0, ...rest }, spec, digest } = object;
      const meta = { kind, ...rest, creationTime, generation: 1 };
      objects.push({ meta: { ...meta, origin: { source: "file", file, line } }, spec, digest });
    }
  }
  const { meshConfigFile } = options;
  return analyzeFileSet({
    objects,
    seen,
    mesh: meshConfigFile === undefined
      ? defaultMeshConfig()
      : parseMeshConfig(read(meshConfigFile), meshConfigFile).value ?? defaultMeshConfig(),
    meshNamespace: "mesh-system",
    domain: "cluster.local",
    assumeGateway: true,
    all: true,
    analyzers: namesOf(analyzer),
    certificateFault: (pem) => certificateFault(pem, Date.now()),
    now: () => performance.now(),
  });
}
