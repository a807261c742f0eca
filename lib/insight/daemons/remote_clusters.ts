import { type Invocation, tableText } from "../../kit/cli/mod.ts";
import { askJson, fromEach, openDaemons } from "../daemon_client/mod.ts";

/** A cluster in the answer of `/debug/clusterz`. */
interface ClusterRow {
  readonly id: string;
  readonly secretName?: string;
  readonly syncStatus?: string;
  readonly fault?: string;
}

/** Lists the clusters that each daemon is connected to. */
export async function remoteClusters(call: Invocation): Promise<number> {
  await using daemons = await openDaemons(call);
  const rows: string[][] = [];
  const found = await fromEach(
    call,
    daemons,
    (daemon) => askJson<readonly ClusterRow[]>(call, daemon, "clusterz"),
  );
  for (const { daemon, answer } of found) {
    for (const { id, secretName = "", syncStatus = "", fault } of answer) {
      const status = fault === undefined ? syncStatus : `${syncStatus}: ${fault}`;
      const revision = daemon.revision ?? call.flags.string("revision");
      rows.push([id, secretName, status, daemon.name, revision]);
    }
  }
  call.io.out(tableText(["NAME", "SECRET", "STATUS", "MESHD", "REVISION"], rows));
  return 0;
}
