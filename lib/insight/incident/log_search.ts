/** The last line of a log that has an id, or the reason why there is none as an error in words. */
export function lineWith(
  log: string,
  id: string,
): { readonly line: string } | { readonly error: string } {
  const wanted = traceOf(id).toLowerCase();
  const lines = log.split("\n").filter((line) => line.toLowerCase().includes(wanted));
  const last = lines.at(-1);
  if (last !== undefined) return { line: last };
  return {
    error:
      `no line of the log has ${wanted}: the built-in formats have x-request-id, and a trace ` +
      "id only where accessLogFormat names it (%TRACE_ID%)",
  };
}

/** The trace id of a `traceparent`; other ids as they are. */
function traceOf(id: string): string {
  const text = id.trim().replace(/^traceparent:\s*/i, "");
  return /^00-([0-9a-f]{32})-/i.exec(text)?.[1] ?? text;
}
