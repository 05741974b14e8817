/** Patterns of secrets in text. A match is the whole secret, or its name and the secret. */
const secrets = [
  // A key contains no quote. Without that limit, an unfinished key would swallow the JSON strings up to the end of the
  // next key.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^"]*?-----END [A-Z ]*PRIVATE KEY-----)?/g,
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(?:ghp|gho|ghu|ghs|ghr|github_pat)_[A-Za-z0-9_]{20,}/g,
  /\b(?:npm|hf)_[A-Za-z0-9]{30,}/g,
  /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAIza[0-9A-Za-z_-]{35}\b/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /\bBearer\s+[A-Za-z0-9._~+/-]{20,}/g,
  // The password in an address, as in postgres://name:password@host.
  /(?<=:\/\/[^\s/:@"']{0,60}:)(?!\[redacted)[^\s/:@"'<{$\\]{3,}(?=@)/g,
  secretAfterName('{8,}'),
  // A shorter value is more likely a word, unless it contains a digit.
  secretAfterName('{6,}', '(?=[^\\s"\']*[0-9])'),
]

/** A value assigned to a telling name, even at the end of a longer name: `DB_PASSWORD=…`. */
function secretAfterName(length: string, looksLike = ''): RegExp {
  const names =
    'password|passwd|secret|(?:secret|api|access|private)[_-]?(?:access[_-]?)?key|(?:access|auth|refresh|api)[_-]?token'
  return new RegExp(`(?:${names})\\b\\\\?["']?\\s*[:=]\\s*\\\\?["']?${looksLike}[^\\s"'<{$\\\\]${length}`, 'gi')
}

/** The places of apparent secrets in a text, in order and without overlaps: pairs of a start and an end. */
export function findSecrets(text: string): readonly (readonly [number, number])[] {
  const found = secrets.flatMap((pattern) =>
    [...text.matchAll(new RegExp(pattern, pattern.flags))].map(
      (match) => [match.index, match.index + match[0].length] as const,
    ),
  )
  const joined: (readonly [number, number])[] = []
  for (const [start, end] of found.sort(([a], [b]) => a - b)) {
    const last = joined.at(-1)
    if (last && start <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], end)]
    else joined.push([start, end])
  }
  return joined
}

export function looksSecret(text: string): boolean {
  return secrets.some((pattern) => text.search(pattern) >= 0)
}

/** The text with every apparent secret replaced. */
export function redact(text: string): string {
  return secrets.reduce((kept, pattern) => kept.replace(pattern, '[redacted]'), text)
}
