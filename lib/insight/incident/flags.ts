/** Meanings of the response flags of Envoy. */
const MEANINGS: Readonly<Record<string, string>> = {
  DC: "the client ended the connection",
  DI: "a fault was injected as a delay",
  DPE: "the client did not speak the protocol",
  FI: "a fault was injected as an abort",
  IH: "a header that must be strict was not",
  LH: "the local health check failed",
  LR: "the proxy reset the request",
  NC: "the cluster of the route is missing",
  NFCF: "a filter's configuration was not there in time",
  NR: "no route or no filter chain matched",
  OM: "the proxy was overloaded",
  RL: "a rate limit refused it",
  RLSE: "the rate limit service failed",
  SI: "the stream was idle too long",
  UAEX: "the external authorization refused it",
  UC: "the upstream ended the connection",
  UF: "the connection to the upstream failed",
  UH: "no upstream was healthy",
  UMSDR: "the stream took longer than it may",
  UO: "a limit of connections or requests was reached",
  UPE: "the upstream did not speak the protocol",
  UR: "the upstream reset the request",
  URX: "retries or connection attempts were used up",
  UT: "the upstream did not answer in time",
};

/** The flags with their meanings. */
export function flagMeanings(flags: readonly string[]): readonly string[] {
  return flags.map((flag) => {
    const meaning = MEANINGS[flag];
    return meaning === undefined ? flag : `${flag}: ${meaning}`;
  });
}
