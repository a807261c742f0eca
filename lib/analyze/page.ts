/**
 * `docs/analysis.md`, made from the tables of codes and analyzers.
 *
 * @module
 */
import { type Code, type CodeRow, CODES } from "./codes.ts";
import { ANALYZERS } from "./registry.ts";

const HEAD = `# Analysis

Analysis finds mistakes that no document shows by itself: references to hosts, subsets, ports and
Gateways that do not exist, selectors without workloads, hosts that several objects define. A message
has a code, a level, the object with its position, and a remedy. Messages reject nothing.

- \`meshctl validate\` prints them as warnings. It knows the files that it is given: selectors are
  checked only if the files describe workloads (WorkloadEntries, Deployments, Pods and the like).
- The daemon logs each message once, counts them in \`mesh_analysis_messages\`, and shows them at
  \`/debug/analysis\`. It knows the labels of connected proxies; selectors are checked from one minute
  after its start, when proxies had time to connect.
- What-if answers list the messages that an edit adds and removes.

The daemon analyzes in the background, one second after the last change, for at most 8 ms in 100 ms.
After its start it begins when nothing was published and no proxy connected or was sent anything for
five seconds, at the latest after one minute.
An edit repeats the analysis of the objects that refer to the edited object, and of no others.
[Performance](performance.md) has the cost. \`MESH_ANALYSIS=false\` switches the analysis of the
daemon off. \`PILOT_ENABLE_ANALYSIS\`, which writes messages to the status of resources, is not
implemented.

\`deno test -A lib/analyze\` fails when this page is not that of the tables; \`UPDATE_GOLDENS=1\` writes it.
`;

/** The whole page. */
export function analysisPage(): string {
  const codes = (Object.entries(CODES) as [Code, CodeRow][]).map(([code, row]) =>
    section(code, row)
  );
  const analyzers = ANALYZERS.map(({ name, kinds, codes }) =>
    `- \`${name}\`: ${codes.join(", ")} about ${kinds.join(", ")}`
  );
  return [HEAD, "## Codes\n", ...codes, "## Analyzers\n", ...analyzers, ""].join("\n");
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
