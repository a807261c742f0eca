import type { TemplateFunctions } from "../execute.ts";
import { COLLECTION_FUNCTIONS } from "./collections.ts";
import { DIGEST_FUNCTIONS } from "./digests.ts";
import { NUMBER_FUNCTIONS } from "./numbers.ts";
import { TEXT_FUNCTIONS } from "./texts.ts";
import { VERSION_FUNCTIONS } from "./versions.ts";

/** The functions of the language, and of the usual library beside it. */
export const STANDARD_FUNCTIONS: TemplateFunctions = new Map(
  Object.entries({
    ...NUMBER_FUNCTIONS,
    ...TEXT_FUNCTIONS,
    ...COLLECTION_FUNCTIONS,
    ...DIGEST_FUNCTIONS,
    ...VERSION_FUNCTIONS,
  }),
);
