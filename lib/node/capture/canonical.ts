/**
 * One spelling for each rule, so that a rule of the plan can be compared with the same rule as
 * `iptables-save` prints it. Pure.
 *
 * @module
 */
import { canonicalIp, parseCidr } from "../../kit/text/mod.ts";

/** Options with another name in the output of `iptables-save`. */
const ALIASES: Readonly<Record<string, string>> = {
  "--to-port": "--to-ports",
  "--set-mark": "--set-xmark",
  "--protocol": "-p",
  "--source": "-s",
  "--destination": "-d",
  "--jump": "-j",
  "--in-interface": "-i",
  "--out-interface": "-o",
};

/** Options that `iptables-save` adds with their defaults. */
const DEFAULTS: ReadonlySet<string> = new Set([
  "--on-ip 0.0.0.0",
  "--on-ip ::",
  "--nfmask 0xffffffff",
  "--ctmask 0xffffffff",
  "-s 0.0.0.0/0",
  "-d 0.0.0.0/0",
  "-s ::/0",
  "-d ::/0",
]);

const MARKS: ReadonlySet<string> = new Set(["--mark", "--set-xmark", "--tproxy-mark"]);
const FULL_MASK = 0xffffffff;

/**
 * The canonical form of the conditions and target of a rule: options sorted, without the names of
 * match modules, with masks and defaults as `iptables-save` prints them.
 */
export function canonicalRule(words: readonly string[]): string {
  const options: string[] = [];
  for (let i = 0; i < words.length;) {
    const not = words[i] === "!";
    const name = words[not ? i + 1 : i] ?? "";
    let end = i + (not ? 2 : 1);
    while (end < words.length && !isOption(words, end)) end++;
    const args = words.slice(i + (not ? 2 : 1), end);
    i = end;
    if (name === "-m" || name === "--match") continue;
    const option = optionText(ALIASES[name] ?? name, args);
    if (!DEFAULTS.has(option)) options.push(`${not ? "! " : ""}${option}`);
  }
  return options.sort().join(" ");
}

function isOption(words: readonly string[], at: number): boolean {
  const word = words[at] ?? "";
  return word === "!" || /^--?[a-z]/.test(word);
}

function optionText(name: string, args: readonly string[]): string {
  if (name === "-s" || name === "-d") return `${name} ${args.map(rangeText).join(" ")}`;
  if (MARKS.has(name)) return `${name} ${args.map((arg) => markText(arg, name)).join(" ")}`;
  return [name, ...args].join(" ");
}

function rangeText(text: string): string {
  const range = parseCidr(text);
  if (range !== undefined) return `${range.address}/${range.bits}`;
  return `${canonicalIp(text)}/${text.includes(":") ? 128 : 32}`;
}

/** `VALUE` or `VALUE/MASK`, decimal or hexadecimal, as `0xVALUE/0xMASK`; a match has no full mask. */
function markText(text: string, name: string): string {
  const [value = "", mask = FULL_MASK] = text.split("/").map(Number);
  const shown = `0x${Number(value).toString(16)}`;
  if (name === "--mark" && mask === FULL_MASK) return shown;
  return `${shown}/0x${mask.toString(16)}`;
}
