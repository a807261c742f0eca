/**
 * The report of the Gateway API's conformance suite on the page about conformance.
 *
 * @module
 */

const BEGIN = "<!-- The report of `deno task conformance:gateway --page`; do not edit. -->";
const END = "<!-- The end of the report. -->";

/**
 * The page with another report.
 *
 * @throws Error if the page has no place for it
 */
export function withReport(page: string, report: string): string {
  const start = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (start < 0 || end < start) throw new Error(`the page lacks ${BEGIN} … ${END}`);
  const block = `${BEGIN}\n\n\`\`\`yaml\n${report.trim()}\n\`\`\`\n\n`;
  return page.slice(0, start) + block + page.slice(end);
}
