import { rootPath } from '#shared/model/virtual-path.ts'
import { exactText } from '../overlay/binary.ts'
import { FileTreeError } from '../ports/file-tree.ts'

const secrets = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\b(AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\b(ghp|gho|ghs|ghr|github_pat)_[A-Za-z0-9_]{20,}/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /\b(password|passwd|secret|api[_-]?key|access[_-]?token)\b["']?\s*[:=]\s*["']?[^\s"'<{$]{8,}/i,
]

/** Memory outlives threads and is read by every later one, so it holds text only, and nothing that looks like a secret. */
export function refuseAsMemory(bytes: Uint8Array): void {
  const text = exactText(bytes)
  if (text === undefined) throw new FileTreeError('refused', rootPath, 'Memory holds text files (UTF-8) only.')
  if (secrets.some((pattern) => pattern.test(text))) {
    throw new FileTreeError(
      'refused',
      rootPath,
      'This text looks as if it held a secret (a key, token or password), which memory never stores. Leave the value out and describe where it is kept.',
    )
  }
}
