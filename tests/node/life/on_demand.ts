/**
 * An injected pod whose annotation asks for configuration on demand.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../../cmd/meshctl/program.ts";
import { apply, deployment, podsReady, workloadContainer } from "../../support/node.ts";
import {
  asks,
  callerOf,
  injectedNamespace,
  isOk,
  type MeshCase,
  read,
} from "../../support/node_mesh.ts";
import { runInProcess } from "../../support/program_run.ts";

const onDemand: MeshCase = {
  name: "a pod with mesh.io/on-demand has what it asked for, and reaches services by each name",
  async run(cluster) {
    const namespace = "lean";
    await injectedNamespace(cluster, namespace);
    await apply(
      cluster,
      deployment("lean", workloadContainer(["sleep", "1h"]), {
        namespace,
        annotations: { "mesh.io/on-demand": "true" },
      }),
    );
    await podsReady(cluster, "app=lean", { namespace });
    const place = { pod: "deploy/lean", namespace };
    const urls = [
      "server.shop",
      "server.shop.svc",
      "server.shop.svc.cluster.local",
      "outsider.default",
    ]
      .map((host) => `http://${host}/headers`);
    const [line] = await asks(cluster, place, urls, (lines) => lines.every(isOk));
    // STRICT: the requests came through the proxy.
    assert.equal(callerOf(line!), `spiffe://cluster.local/ns/${namespace}/sa/default`);

    const pod = await read(cluster, namespace, "pods -l=app=lean", "{.items[0].metadata.name}");
    const meshctl = async (...args: string[]): Promise<string> => {
      const argv = ["--orchconfig", cluster.kubeconfig, ...args];
      const [out, err, status] = await runInProcess(MESHCTL, argv);
      assert.equal(status, 0, err);
      return out;
    };
    const clusters = await meshctl("proxy-config", "clusters", `${pod}.${namespace}`);
    assert.match(clusters, /server\.shop\.svc\.cluster\.local/);
    assert.doesNotMatch(clusters, /client\.shop\.svc\.cluster\.local|kube-dns/);
    const learned = await meshctl("experimental", "learned-scopes", `--namespace=${namespace}`);
    assert.match(
      learned,
      /^lean +default .*host +80\/server\.shop\.svc +server\.shop\.svc\.cluster/m,
    );
    const explained = await meshctl(
      ...[
        "explain",
        "request",
        `--from=${pod}.${namespace}`,
        "--to=meshd.mesh-system:15014/version",
      ],
    );
    assert.match(explained, /asks for hosts and clusters on demand/);
  },
};

/** The cases. */
export const ON_DEMAND: readonly MeshCase[] = [onDemand];
