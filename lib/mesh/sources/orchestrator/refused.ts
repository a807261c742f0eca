/** The fault of a server that refuses a request, by its status; others are waited for. */
const FORBIDDEN = /: 403: /;

/** True for the fault of a followed resource type that the server does not let the daemon read. */
export function isRefused(fault: string | undefined): boolean {
  return fault !== undefined && FORBIDDEN.test(fault);
}
