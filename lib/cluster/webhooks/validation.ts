/**
 * The answer of the validation webhook: objects are checked as the daemon does when it reads them, and
 * as \`meshctl validate\` does.
 *
 * @module
 */
import { inTurns } from "../../kit/async/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { checkObjectInSteps, type ObjectProblem } from "../../mesh/schema/mod.ts";
import type { AdmissionAnswer, AdmissionRequest } from "./admission.ts";
import { isPlainObject } from "./json.ts";
import { validationFailures, validationPasses } from "./metrics.ts";

const log = scope("validationServer");

/** The label of objects that the webhook always refuses: the daemon checks itself with one. */
export const ALWAYS_REJECT = "internal.mesh.io/webhook-always-reject";

/** A text in the refusal of objects with the label {@linkcode ALWAYS_REJECT}. */
export const REJECTED_TEXT = "the label demands a refusal";

/** Most problems in the message of a refusal. */
const MAX_PROBLEMS = 10;

/**
 * Answers a request for validation.
 *
 * @param isOwn reports if objects with this revision label are the daemon's; others are not checked
 */
export async function answerValidation(
  request: AdmissionRequest,
  isOwn: (label: unknown) => boolean,
): Promise<AdmissionAnswer> {
  const { operation, object, resource } = request;
  if (operation !== "CREATE" && operation !== "UPDATE") return { allowed: true };
  const refuse = (reason: string, message: string, warnings: readonly string[] = []) => {
    validationFailures.inc({ ...labelsOf(resource), reason });
    log.debug("refused an object", {
      kind: request.kind.kind,
      namespace: request.namespace,
      message,
    });
    return { allowed: false, message, warnings };
  };
  if (!isPlainObject(object)) {
    return refuse("yaml_decode_error", "cannot decode configuration: the object is missing");
  }
  const meta = isPlainObject(object.metadata) ? object.metadata : {};
  const labels = isPlainObject(meta.labels) ? meta.labels : {};
  if (!isOwn(labels[REVISION_LABEL])) return { allowed: true };
  if (labels[ALWAYS_REJECT] === "true") {
    return refuse(
      "invalid_resource",
      `configuration is invalid: ${ALWAYS_REJECT}: ${REJECTED_TEXT}`,
    );
  }
  const steps = checkObjectInSteps(object, { namespace: request.namespace || undefined });
  const { problems, warnings } = await inTurns(steps);
  const texts = warnings.map(problemText);
  const unknown = problems.find(({ code }) => code === "unknown-kind");
  if (unknown !== undefined) {
    return refuse(
      "unknown_type",
      `unrecognized type ${request.kind.kind}: ${problemText(unknown)}`,
    );
  }
  if (problems.length > 0) {
    return refuse("invalid_resource", `configuration is invalid: ${joined(problems)}`, texts);
  }
  validationPasses.inc(labelsOf(resource));
  return { allowed: true, warnings: texts };
}

function labelsOf({ group, version, resource }: AdmissionRequest["resource"]) {
  return { group, version, resource };
}

function joined(problems: readonly ObjectProblem[]): string {
  const texts = problems.slice(0, MAX_PROBLEMS).map(problemText);
  const more = problems.length - texts.length;
  return more > 0 ? `${texts.join(" ")} (and ${more} more)` : texts.join(" ");
}

/** Field, mistake and remedy in one line. */
function problemText({ path, message, remedy }: ObjectProblem): string {
  const where = path === "" ? "" : `${path}: `;
  return `${where}${message}.${remedy === undefined ? "" : ` ${remedy}`}`;
}
