/** Characters that HFS+ ignores when it compares names, and other invisible ones that hide a name from people. */
const ignorable = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/**
 * True for `.git` and every spelling that some file system opens as `.git`: other case, `git~1`, trailing dots,
 * streams.
 */
export function isGitName(name: string): boolean {
  return name.split('\\').some((part) => /^(?:\.git|git~\d+)$/.test(foldForFileSystem(part)))
}

/** The same for `.gitmodules`. Git numbers its short names up to 4. */
export function isGitModulesName(name: string): boolean {
  return name.split('\\').some((part) => /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~\d+)$/.test(foldForFileSystem(part)))
}

/** The name that the most lenient file system would open. */
function foldForFileSystem(name: string): string {
  const [plain = ''] = name.replace(ignorable, '').normalize('NFKC').toLowerCase().split(':')
  return plain.replace(/[. ]+$/, '')
}
