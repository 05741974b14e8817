/** The file of `givenFiles` that git takes for the system's. */
export const gitSettingsName = 'gitconfig'

/** What git is told about the person. Null for what is not known. */
export interface CommitAuthor {
  readonly name: string | null
  readonly email: string | null
  /** True when the person's commits or tags are signed. Absent when they are not. */
  readonly signs?: true
}

/** No view has a key, so signing would end every commit. These win over all settings but those of a command line. */
export const unsignedVariables: Readonly<Record<string, string>> = Object.fromEntries([
  ['GIT_CONFIG_COUNT', '2'],
  ...['commit.gpgSign', 'tag.gpgSign'].flatMap((key, index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, 'false'],
  ]),
])

const systemSettings = '/etc/gitconfig'

/**
 * In a view, files have another owner, another number and another time of their last change of state than in the folder
 * that the index of git is about. If git compared those, it would read every file again in each new view.
 */
const comparesLess = ['[core]', '\tcheckStat = minimal', '\ttrustctime = false']

/**
 * Settings for git that name the person and suit it to views. They take the place of the system's, the weakest ones, so
 * that a project, a command's home and `git -c` win over them.
 */
export function gitSettings({ name, email }: CommitAuthor): string {
  const lines = Object.entries({ name, email }).flatMap(([key, value]) =>
    value === null ? [] : [`\t${key} = ${quote(value)}`],
  )
  const author = lines.length === 0 ? [] : ['[user]', ...lines]
  return [`[include]`, `\tpath = ${systemSettings}`, ...comparesLess, ...author, ''].join('\n')
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\b': '\\b', '"': '\\"', '\\': '\\\\' }

function quote(value: string): string {
  return `"${value.replace(/[\n\t\b"\\]/g, (character) => escapes[character] ?? character)}"`
}
