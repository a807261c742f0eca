/**
 * `docs/analysis.md`, made from the tables of codes and analyzers.
 *
 * @module
 */
import { ABSENT_CODES } from "./absent_codes.ts";
import { type Code, type CodeRow, CODES } from "./codes.ts";
import type { Analyzer } from "./analyzer.ts";
import { ANALYZERS, DOCUMENT_ANALYZERS } from "./registry.ts";

const HEAD = `# Analysis

Analysis finds mistakes that no document shows by itself: references to hosts, subsets, ports and
Gateways that do not exist, selectors without workloads, hosts that several objects define. A message
has a code, a level, the object with its position, and a remedy. Messages reject nothing.

- \`meshctl analyze\` prints them for a cluster, and \`meshctl analyze --use-kube=false FILES\` for files:
  objects of the mesh, rejected documents, and objects of the orchestrator (Services, Pods,
  Deployments, Namespaces, webhooks and the like). Hosts are checked only if the files have Services or
  ServiceEntries, selectors, principals and modes of mutual TLS only if they describe workloads. Notes
  say which parts were not checked. The default ingress gateway is taken to exist in files.
- \`meshctl validate\` prints the same messages about files. What a daemon rejects is an error there,
  all else a warning. It does not take a gateway to exist.
- The daemon logs each message about objects of the mesh once, counts them in
  \`mesh_analysis_messages\`, and shows them at \`/debug/analysis\`. It knows the labels of proxies that
  are connected to it; selectors are checked from one minute after its start, when proxies had time to
  connect. It does not check principals (MSH1002): callers may be connected to other replicas.
- The validation webhook refuses what the daemon rejects, with the same text, and passes the warnings
  of single objects on. It does not see other objects, so that it checks no references.
- What-if answers list the messages that an edit adds and removes.

The daemon analyzes in the background, one second after the last change, for at most 8 ms in 100 ms.
After its start it begins when nothing was published and no proxy connected or was sent anything for
five seconds, at the latest after one minute.
An edit repeats the analysis of the objects that refer to the edited object, and of no others.
[Performance](performance.md) has the cost. \`MESH_ANALYSIS=false\` switches the analysis of the
daemon off. With \`PILOT_ENABLE_ANALYSIS\` one daemon of a cluster writes the messages to the status of
the resources ([controllers](controllers.md)).

Objects of the mesh that say \`galley.mesh.io/analyze-suppress: CODE,CODE\` (or \`*\`) as annotation have
no messages of these codes; \`--suppress "CODE=Kind name.namespace"\` does the same for one run.

\`--remote-contexts\` names the contexts of other clusters of the mesh; without it they are those of the
secrets in the mesh's namespace with the label \`mesh/multiCluster: "true"\`. Their Services, Pods,
Deployments and Namespaces count, too, and Services of one name are compared between the clusters. A
secret is left out with a warning if it cannot be used, if it names a program or files, or if the
cluster does not answer.
Codes from MSH1001 on are those of Mesh alone; the others follow the interface of \`meshctl\`.
Host names of webhooks are not resolved.

\`deno test -A lib/insight/analyze\` fails when this page is not that of the tables; \`UPDATE_GOLDENS=1\` writes it.
`;

/** The parts of an analyzer that a line of the list has. */
type AnalyzerRow =
  & Pick<Analyzer, "codes" | "name">
  & { readonly kinds: readonly string[]; readonly onRequest?: boolean };

/** The whole page. */
export function analysisPage(): string {
  const codes = (Object.entries(CODES) as [Code, CodeRow][]).map(([code, row]) =>
    section(code, row)
  );
  return [
    HEAD,
    "## Codes\n",
    ...codes,
    "## Analyzers\n",
    ...ANALYZERS.map(line),
    "",
    "These read objects of the orchestrator; the daemon does not run them:\n",
    ...DOCUMENT_ANALYZERS.map(line),
    "",
    "## Codes without analyzer\n",
    ...ABSENT_CODES.map(({ code, name, reason }) => `- ${code}, ${name}: ${reason}.`),
    "",
  ].join("\n");
}

function line({ name, kinds, codes, onRequest = false }: AnalyzerRow): string {
  const when = onRequest ? ", with `--verbose` only" : "";
  return `- \`${name}\`: ${codes.join(", ")} about ${kinds.join(", ")}${when}`;
}

function section(code: Code, { name, level, text, reason, remedy }: CodeRow): string {
  const sentence = text === "{0}" ? "The sentence of the problem" : text;
  const lines = [
    `### ${code}`,
    "",
    `${name}, ${level}.`,
    "",
    `- Message: ${sentence}.`,
    `- Effect: ${reason}`,
    `- Remedy: ${remedy}`,
    "",
  ];
  return lines.join("\n");
}
