/**
 * Parsing of untrusted text: UTF-8, YAML with positions and bounds, regular expressions, addresses,
 * host names, labels. Pure.
 *
 * @module
 */
export { DEFAULT_YAML_LIMITS, type YamlLimits } from "./limits.ts";
export { decodeUtf8, firstInvalidByte } from "./utf8.ts";
export {
  parseYaml,
  readYaml,
  readYamlInSteps,
  toYaml,
  type YamlDocument,
  type YamlProblem,
  type YamlResult,
} from "./yaml.ts";
export { type EditableDocument, type EditedYaml, editYaml, type YamlScalar } from "./edit.ts";
export { camelCase, type Path, type Position } from "./locate.ts";
export { compileRegex, type Regex, regexFault } from "./regex.ts";
export {
  canonicalIp,
  type Cidr,
  ipBytes,
  ipText,
  isCidr,
  isIp,
  isIpv4,
  isIpv6,
  parseCidr,
  rangeContains,
} from "./ip.ts";
export {
  isDnsLabel,
  isDnsSubdomain,
  isFqdn,
  isWildcardHost,
  MAX_HOST_LENGTH,
  MAX_LABEL_LENGTH,
} from "./host.ts";
export { labelKeyFault, labelValueFault } from "./labels.ts";
export { nearest } from "./nearest.ts";
