/**
 * A program that takes part in an election and, as the leader, writes without a pause. It stops itself
 * once between two writes, when no request is under way. Its argument is the file of the cluster's
 * administrator.
 *
 * @module
 */
import { joinElection } from "../../../lib/cluster/controllers/mod.ts";
import {
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  loadKubeconfig,
  mergePatch,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { PAUSED_AFTER, PAUSED_ELECTION, WRITTEN } from "./paused_election.ts";

const config = await loadKubeconfig([Deno.args[0]!]);
const rate = { qps: 10_000, burst: 10_000 };
const client = createClient(accessOf(config, { allowed: ALL_CREDENTIAL_OPTIONS }), { rate });

joinElection({
  ...PAUSED_ELECTION,
  client,
  identity: "paused",
  run: async ({ client, signal }) => {
    const name = { namespace: PAUSED_ELECTION.namespace, name: WRITTEN };
    for (let count = 1; !signal.aborted; count++) {
      const data = { writer: "paused", count: `${count}` };
      await mergePatch(client, types.CONFIG_MAP, name, { data }).catch(() => {});
      if (count === PAUSED_AFTER) stopItself();
    }
    console.log("the term is over");
  },
});

/** Returns after somebody continued the process. */
function stopItself(): void {
  const at = performance.now();
  Deno.kill(Deno.pid, "SIGSTOP");
  // The signal may stop this thread a moment later.
  while (performance.now() - at < 200);
}
