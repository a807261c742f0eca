/**
 * A life in the mesh as pods, by manifests of a user and at default settings: the daemon, its
 * webhook, injected workloads, and what they do and meet. All cases share one mesh on two nodes.
 *
 * @module
 */
import { apply, deployment, kubectl, podsReady } from "../support/node.ts";
import { manifest, meshTest, runTogether } from "../support/node_mesh.ts";
import { DESTINATIONS, OUTSIDE, SERVERS } from "./life/destinations.ts";
import { JOBS } from "./life/jobs.ts";
import { MEMBERS } from "./life/members.ts";
import { ON_DEMAND } from "./life/on_demand.ts";
import { PROBES } from "./life/probes.ts";
import { SHOP } from "./life/shop.ts";
import { TOOLS } from "./life/tools.ts";

meshTest(
  "a life in the mesh as pods",
  async (cluster, t) => {
    await kubectl(cluster, ["apply", "-f", "-"], await manifest("shop"));
    await apply(cluster, deployment("outsider", SERVERS), OUTSIDE);
    for (const app of ["server", "client"]) {
      await podsReady(cluster, `app=${app}`, { namespace: "shop" });
    }
    await podsReady(cluster, "app=outsider");

    const groups = [SHOP, DESTINATIONS, MEMBERS, PROBES, JOBS, ON_DEMAND, TOOLS];
    await runTogether(t, cluster, groups.flat());
  },
  { nodes: 2 },
);
