/** Names of variables that may hold secrets. It matches too many rather than too few. */
const SECRET_NAME = /TOKEN|KEY|PASSWORD|PASSWD|SECRET|CREDENTIAL|AUTH/i;
const REDACTED = "[redacted]";

/** A variable's value for display; values of variables named like secrets are hidden. */
export function redactVariable(name: string, value: string): string {
  return SECRET_NAME.test(name) && value !== "" ? REDACTED : redactUrls(value);
}

/** A text without user names and passwords of URLs. */
export function redactUrls(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\/\s]*@/gi, `$1${REDACTED}@`);
}
