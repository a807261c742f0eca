/**
 * The tag `default` of a cluster keeps what it has: pods without a label of a revision, and the
 * validation of objects without one. An installation does not take them back.
 *
 * @module
 */
import {
  getObject,
  isNotFound,
  listAll,
  mergePatch,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import {
  type Configuration,
  deactivated,
  DEACTIVATED_LABEL,
  DEFAULT_TAG,
  DEFAULT_VALIDATOR,
  isDeactivated,
  isDefaultInjector,
  TAG_LABEL,
} from "../revision_tags/mod.ts";

/** Revisions that serve for the tag `default`. */
export interface DefaultTag {
  /** The revision that injects; `undefined`: no webhooks of injection belong to the tag. */
  readonly injection?: string;
  /** The revision that validates; `undefined`: the validation is that of the installation. */
  readonly validation?: string;
}

/** Asks the cluster; a tag whose webhooks select nothing does not count. */
export async function readDefaultTag(client: OrchClient): Promise<DefaultTag> {
  const injectors = await listAll<Configuration>(client, types.MUTATING_WEBHOOKS, {
    labelSelector: `${TAG_LABEL}=${DEFAULT_TAG}`,
  });
  const validator = await getObject<OrchObject>(client, types.VALIDATING_WEBHOOKS, {
    name: DEFAULT_VALIDATOR,
  }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const holder = injectors.find((one) => !isDeactivated(one));
  const isValidating = validator?.metadata.labels?.[TAG_LABEL] === DEFAULT_TAG;
  return {
    ...holder === undefined ? {} : { injection: revisionOf(holder) },
    ...isValidating ? { validation: revisionOf(validator) } : {},
  };
}

function revisionOf({ metadata: { labels = {} } }: Pick<OrchObject, "metadata">): string {
  return labels[REVISION_LABEL] ?? DEFAULT_TAG;
}

/** The objects of an installation that leaves to the tag what it has. */
export function leaveToTag(
  objects: readonly OrchObject[],
  { injection, validation }: DefaultTag,
): OrchObject[] {
  return objects.flatMap((one) => {
    if (validation !== undefined && isDefaultValidator(one)) return [];
    return injection !== undefined && isOwnInjector(one) ? [deactivated(one)] : [one];
  });
}

/** Sentences about what an installation leaves to the tag. */
export function leftToTag(
  objects: readonly OrchObject[],
  { injection, validation }: DefaultTag,
): string[] {
  const remedy = (revision: string): string =>
    `stays with the tag ${DEFAULT_TAG}, which points to revision ${revision}. To move it: meshctl ` +
    `tag set ${DEFAULT_TAG} --revision REVISION --overwrite`;
  return [
    ...injection !== undefined && objects.some(isOwnInjector)
      ? [`injection without a revision ${remedy(injection)}`]
      : [],
    ...validation !== undefined && objects.some(isDefaultValidator)
      ? [`validation without a revision ${remedy(validation)}`]
      : [],
  ];
}

/** True if an injector was deactivated by a tag that is gone, and the installation has it active. */
export function isReactivated(object: OrchObject, live: OrchObject | undefined): boolean {
  return live?.kind === types.MUTATING_WEBHOOKS.kind && isOwnInjector(object) &&
    isDeactivated(live);
}

/** Removes the label of a deactivated injector, which no application of the object removes. */
export async function markActive(client: OrchClient, { metadata }: OrchObject): Promise<void> {
  await mergePatch(client, types.MUTATING_WEBHOOKS, metadata, {
    metadata: { labels: { [DEACTIVATED_LABEL]: null } },
  });
}

function isOwnInjector(object: OrchObject): object is Configuration {
  return object.kind === types.MUTATING_WEBHOOKS.kind && isDefaultInjector(object);
}

function isDefaultValidator({ kind, metadata }: OrchObject): boolean {
  return kind === types.VALIDATING_WEBHOOKS.kind && metadata.name === DEFAULT_VALIDATOR;
}
