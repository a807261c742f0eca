/**
 * Follows the ConfigMap with the configuration of injection.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import {
  defaultInjectionConfig,
  type InjectionConfig,
  parseInjectionConfig,
} from "../inject/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { daemonVariables } from "./variables.ts";
import {
  follow,
  type ListItem,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";

const log = scope("default");

/** The ConfigMap's name, without the suffix of a revision. */
const NAME = "mesh-sidecar-injector";

/** A followed configuration. */
export interface FollowedInjection {
  /** The last valid configuration; the built-in one before there is any. */
  current(): InjectionConfig;
  /** The reason why the ConfigMap is not in use. */
  fault(): string | undefined;
  /** Number of connections to the API server so far. */
  connections(): number;
  /** Resolves when it is known if the ConfigMap is there. */
  readonly synced: Promise<void>;
  close(): Promise<void>;
}

/** The name of the ConfigMap of a revision. */
export function injectionConfigMap(revision: string): string {
  return revision === "" || revision === "default" ? NAME : `${NAME}-${revision}`;
}

/** Follows the ConfigMap of a revision. An invalid one is logged, and the last valid one stays. */
export function followInjectionConfig(
  client: OrchClient,
  { namespace, revision, changed: notify }: {
    readonly namespace: string;
    readonly revision: string;
    /** Called after each change of the ConfigMap. */
    readonly changed?: () => void;
  },
): FollowedInjection {
  const name = injectionConfigMap(revision);
  let current = defaultInjectionConfig();
  let fault: string | undefined;
  const take = (data: Readonly<Record<string, string>> | undefined) => {
    try {
      current = data === undefined ? defaultInjectionConfig() : parseInjectionConfig({
        config: data.config ?? "",
        values: data.values ?? "",
        variables: daemonVariables(),
      });
      for (const warning of current.warnings) {
        log.warn("a part of the configuration of injection does nothing", {
          configMap: name,
          reason: warning,
        });
      }
      fault = undefined;
      log.info("configuration of injection", {
        configMap: data ? name : "none: the built-in one",
      });
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      fault = messageOf(error);
      log.error("the configuration of injection is invalid; the last valid one stays", {
        configMap: name,
        namespace,
        reason: fault,
        remedy: error.remedy,
      });
    }
  };
  const following = follow<ConfigMap>({
    client,
    type: types.CONFIG_MAP,
    selection: { namespace, fieldSelector: `metadata.name=${name}` },
    convert: (object: ListItem) => object as ConfigMap,
    changed: ({ upserts, deletes }) => {
      const [last] = upserts.slice(-1);
      if (last !== undefined) take(last.data);
      else if (deletes.length > 0) take(undefined);
      notify?.();
    },
  });
  return {
    current: () => current,
    fault: () => fault,
    connections: () => following.state().watches,
    synced: following.synced,
    close: () => following.close(),
  };
}

interface ConfigMap extends OrchObject {
  readonly data?: Readonly<Record<string, string>>;
}
