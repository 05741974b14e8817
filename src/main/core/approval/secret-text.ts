/** What secrets look like in text; each pattern's match is the whole of the secret, or its name and the secret. */
const secrets = [
  // A key holds no quote: one that never ends must not take the strings of JSON up to the next one's end with it.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^"]*?-----END [A-Z ]*PRIVATE KEY-----)?/g,
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(?:ghp|gho|ghs|ghr|github_pat)_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAIza[0-9A-Za-z_-]{35}\b/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /\b(?:password|passwd|secret|api[_-]?key|access[_-]?token)\b\\?["']?\s*[:=]\s*\\?["']?[^\s"'<{$\\]{8,}/gi,
]

export function looksSecret(text: string): boolean {
  return secrets.some((pattern) => text.search(pattern) >= 0)
}

/** The text with everything that looks like a secret replaced. */
export function redacted(text: string): string {
  return secrets.reduce((kept, pattern) => kept.replace(pattern, '[redacted]'), text)
}
