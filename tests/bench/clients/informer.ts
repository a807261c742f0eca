/**
 * Follows ConfigMaps with the informer of `@kubernetes/client-node`, started again after each error:
 * KUBECONFIG [cured].
 *
 * @module
 */
import { answer } from "./contestant.ts";

const [kubeconfig = "", cured] = Deno.args;
if (cured === "cured") await import("./cure.ts");
const { CoreV1Api, KubeConfig, makeInformer } = await import("@kubernetes/client-node");

const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
const namespace = "default";
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const informer = makeInformer(config, path, () => api.listNamespacedConfigMap({ namespace }));

/** Pause before it is started again, as its documentation shows. */
const PAUSE_MS = 1_000;

function start(): void {
  informer.start().catch(() => setTimeout(start, PAUSE_MS));
}
informer.on("error", () => setTimeout(start, PAUSE_MS));
await informer.start();
answer(() =>
  JSON.stringify(
    informer.list().map(({ metadata }) => [metadata?.name, metadata?.resourceVersion]),
  )
);
