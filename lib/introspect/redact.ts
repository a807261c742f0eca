/** Names of variables that may hold secrets. It matches too many rather than too few. */
const SECRET_NAME = /TOKEN|KEY|PASSWORD|PASSWD|SECRET|CREDENTIAL|AUTH/i;
const REDACTED = "[redacted]";

/** A variable's value as it may be shown: nothing of one that is named like a secret. */
export function redactVariable(name: string, value: string): string {
  return SECRET_NAME.test(name) && value !== "" ? REDACTED : redactUrls(value);
}

/** A text without the user names and passwords of the URLs in it. */
export function redactUrls(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\/\s]*@/gi, `$1${REDACTED}@`);
}
