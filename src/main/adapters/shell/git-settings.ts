/** The file of `givenFiles` that git takes for the system's. */
export const gitSettingsName = 'gitconfig'

/** What git is told about the person. Null for what is not known. */
export interface CommitAuthor {
  readonly name: string | null
  readonly email: string | null
}

const systemSettings = '/etc/gitconfig'

/**
 * Settings for git that name the person and nothing else. They take the place of the system's, the weakest ones, so that
 * a project, a command's home and `git -c` win over them. Undefined when nothing is known.
 */
export function gitSettings({ name, email }: CommitAuthor): string | undefined {
  if (name === null && email === null) return undefined
  const lines = Object.entries({ name, email }).flatMap(([key, value]) =>
    value === null ? [] : [`\t${key} = ${quote(value)}`],
  )
  return [`[include]`, `\tpath = ${systemSettings}`, '[user]', ...lines, ''].join('\n')
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\b': '\\b', '"': '\\"', '\\': '\\\\' }

function quote(value: string): string {
  return `"${value.replace(/[\n\t\b"\\]/g, (character) => escapes[character] ?? character)}"`
}
